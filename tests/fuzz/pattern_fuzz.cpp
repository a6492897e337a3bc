// Any file: recognition, unpacking, then the reader of the format.

#include "core/base/error.h"
#include "core/pattern_io.h"
#include "core/patterns/recognise.h"
#include "properties.h"

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  try {
    ByteSource source(bytes, fuzz::kName);
    if (recognise(TextSource(source)) == PatternFormat::macrocell) {
      fuzz::check_macrocell(bytes);
    } else {
      fuzz::require_pattern(parse_pattern(bytes, fuzz::kName));
    }
  } catch (const InputError& error) {
    fuzz::require_message(error.what());
  }
  return 0;
}
