#pragma once

#include "core/rules/file_lines.h"
#include "core/rules/file_rule.h"

namespace tessera {

/// Reads the lines behind @TABLE up to the next section or the end into `rule`: states and table.
/// Throws ParseError.
void read_file_table(FileLines& lines, FileRule& rule);

/// Likewise the lines behind @TREE.
void read_file_tree(FileLines& lines, FileRule& rule);

}  // namespace tessera
