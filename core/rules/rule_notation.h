#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/rules/rule.h"

namespace tessera {

/// parse_rule without names. `names` are those that a text which is no rule may have been meant
/// for: the error tells the nearest.
Rule parse_notation(std::string_view text, std::span<const std::string> names = {});

/// parse_rule without rule files.
Rule parse_known_rule(std::string_view text);

/// The names of named_rules(), and of the rules that find_rule_file() finds.
std::vector<std::string> rule_names();

}  // namespace tessera
