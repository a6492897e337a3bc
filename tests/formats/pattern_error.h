#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/pattern_io.h"
#include "tests/support/messages.h"

namespace tessera::test {

/// The message with which `text` is refused as the contents of a file called `name`.
inline std::string refusal(std::string_view text, const std::string& name = "p.rle") {
  return message_of<ParseError>([&] { parse_pattern(text, name); });
}

}  // namespace tessera::test
