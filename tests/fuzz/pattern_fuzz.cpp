// Any file: recognition, unpacking, then the reader of the format.

#include "core/base/error.h"
#include "core/pattern_io.h"
#include "properties.h"

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    fuzz::require_pattern(parse_pattern(fuzz::text_of(data, size), fuzz::kName));
  } catch (const InputError& error) {
    fuzz::require_message(error.what());
  }
  return 0;
}
