#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// What a rule is that other programs know and this one does not, without its universe: "a
/// Generations rule with 4 states", "a Larger than Life rule", "the rule LifeHistory, which has 7
/// states"; empty when it is none of those either.
std::string foreign_rule(std::string_view text);

}  // namespace tessera
