// The RLE reader, whatever the input looks like.

#include "core/patterns/rle.h"
#include "properties.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tessera::fuzz::check_reader(tessera::read_rle, tessera::fuzz::text_of(data, size));
  return 0;
}
