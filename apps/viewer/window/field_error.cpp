#include "apps/viewer/window/field_error.h"

namespace tessera {

std::string field_error(const Error& error) {
  const std::string text = error.what();
  const auto* parsed = dynamic_cast<const ParseError*>(&error);
  if (!parsed || !parsed->place().starts_with("rule:")) return text;
  std::string rest = text.substr(parsed->place().size() + 2);
  if (!rest.empty() && rest[0] >= 'a' && rest[0] <= 'z') rest[0] += 'A' - 'a';
  return rest;
}

}  // namespace tessera
