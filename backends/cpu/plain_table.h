#pragma once

#include <cstdint>
#include <functional>

#include "core/rules/file_rule.h"

namespace tessera {

/// The next state of a cell under a rule file, for `reference`: line after line of the table in all
/// its symmetric forms, or a walk down the tree. `at` tells the states around the cell, at most one
/// cell away.
int plain_next(const FileRule& rule, const std::function<int(int dx, int dy)>& at);

}  // namespace tessera
