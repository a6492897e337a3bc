// The MCell reader, whatever the input looks like.

#include "core/patterns/mcell.h"
#include "properties.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tessera::fuzz::check_reader(tessera::read_mcell, tessera::fuzz::text_of(data, size));
  return 0;
}
