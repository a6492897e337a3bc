#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/cell_runs.h"
#include "core/geometry.h"
#include "core/rule_spec.h"

namespace tessera {

/// What a pattern file says: cells, and what came with them. Unplaced: `cells` are relative to the pattern's
/// top-left corner (0, 0) of its declared box, which `position` puts into the universe.
struct Pattern {
  CellRuns cells;
  /// Declared box, from the header; at least the box of the cells. 0 when the format declares none.
  std::int64_t width = 0;
  std::int64_t height = 0;
  /// Rule and universe when the file names them.
  std::optional<RuleSpec> rule;
  /// Universe coordinates of the box's top-left cell when the file gives them (#CXRLE Pos=, #P or #R of a
  /// single block; Life 1.06 and Life 1.05 cells are absolute); otherwise (0, 0) is meant.
  std::optional<Cell> position;
  /// Generation of the cells (#CXRLE Gen=).
  std::int64_t generation = 0;
  std::string name;                   ///< #N, or "!Name:"
  std::string author;                 ///< #O, or "!Author:"
  std::vector<std::string> comments;  ///< other comment lines, without their marker

  bool operator==(const Pattern&) const = default;
};

}  // namespace tessera
