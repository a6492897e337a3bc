// The Life 1.06 reader, whatever the input looks like.

#include "core/patterns/life106.h"
#include "properties.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tessera::fuzz::check_reader(tessera::read_life106, tessera::fuzz::text_of(data, size));
  return 0;
}
