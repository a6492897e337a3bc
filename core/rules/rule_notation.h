#pragma once

#include <string_view>

#include "core/rules/rule.h"

namespace tessera {

/// parse_rule without names.
Rule parse_notation(std::string_view text);

}  // namespace tessera
