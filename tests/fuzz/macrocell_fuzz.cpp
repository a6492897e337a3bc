// The macrocell reader, whatever the input looks like.

#include "core/patterns/macrocell.h"
#include "properties.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tessera::fuzz::check_macrocell(tessera::fuzz::text_of(data, size));
  return 0;
}
