#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// What a rule is that other programs know and this one does not, without its universe: "a
/// weighted rule", "a triangular rule"; empty when it is none of those either.
std::string foreign_rule(std::string_view text);

}  // namespace tessera
