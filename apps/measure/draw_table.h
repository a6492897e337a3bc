#pragma once

#include <string>

#include "apps/measure/draw.h"
#include "core/rules/rule.h"

namespace tessera {

/// The text of a small rule file: any neighbourhood with any of its symmetries, variables, bound
/// and free ones, or a tree. `quiet`: empty cells among others stay so.
std::string draw_rule_file(Draw& draw, bool quiet);

/// The rule of such a file, which is kept under a name of its own.
Rule draw_file_rule(Draw& draw, bool quiet);

}  // namespace tessera
