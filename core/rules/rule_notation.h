#pragma once

#include <string_view>

#include "core/rules/rule.h"

namespace tessera {

/// parse_rule without names.
Rule parse_notation(std::string_view text);

/// parse_rule without rule files.
Rule parse_known_rule(std::string_view text);

}  // namespace tessera
