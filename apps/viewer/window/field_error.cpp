#include "apps/viewer/window/field_error.h"

namespace tessera {

std::string field_error(const Error& error) {
  std::string text = error.what();
  if (const auto* parsed = dynamic_cast<const ParseError*>(&error)) {
    if (!parsed->place().starts_with("rule:")) return text;
    text.erase(0, parsed->place().size() + 2);
  } else if (!dynamic_cast<const UnsupportedError*>(&error)) {
    return text;  // may begin with a file's name
  }
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] += 'A' - 'a';
  return text;
}

}  // namespace tessera
