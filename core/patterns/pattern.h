#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/geometry.h"
#include "core/cells/cell_runs.h"
#include "core/files/piece_source.h"
#include "core/rules/rule_spec.h"

namespace tessera {

/// The contents of a pattern file: cells, and what came with them. `cells` are relative to the
/// top-left corner (0, 0) of the pattern's declared box, which `position` places in the universe.
struct Pattern {
  /// Live cells, whose state is not 0.
  CellRuns cells;
  /// Where a live cell has another state than 1: for each bit of a state, the cells whose state has
  /// it. The last of them is not empty.
  std::vector<CellRuns> planes;
  /// Declared box in cells, from the header. Readers return a box that holds all cells, and 0x0
  /// when it has no area.
  std::int64_t width = 0;
  std::int64_t height = 0;
  /// Rule and universe, when the file names them.
  std::optional<RuleSpec> rule;
  /// Universe coordinates of the box's top-left cell when the file gives them (#CXRLE Pos=, #P or
  /// #R, "!Position:", an RLE that names a bounded universe, and always for cells of Life 1.06 and
  /// macrocell files); otherwise it is at (0, 0).
  std::optional<Cell> position;
  /// Generation of the cells (#CXRLE Gen=), from 0.
  std::int64_t generation = 0;
  std::string name;                   ///< #N, or "!Name:"; without spaces around it
  std::string author;                 ///< #O, or "!Author:"; without spaces around it
  std::vector<std::string> comments;  ///< other comment lines in order, without their marker

  bool operator==(const Pattern&) const = default;
};

/// Moves all cells of a pattern within its box, right by dx and down by dy.
void move_cells(Pattern& pattern, std::int64_t dx, std::int64_t dy);

/// What is known of a pattern without a list of its cells.
struct PatternSummary {
  Pattern pattern;               ///< everything but the cells
  std::int64_t population = 0;   ///< live cells
  std::optional<Bounds> bounds;  ///< of the live cells, relative to the box as Pattern::cells
};

/// Enlarges the declared box to hold all cells: cells right of or below it widen it; cells left of
/// or above it become its new first column or row, and `position` moves with them. A box without
/// area becomes 0x0. Throws InputError when a side of the box would exceed kMaxCoordinate.
void fit_box(Pattern& pattern);

/// The cells of a universe that are not in state 0, ready to be written: `position` is that of
/// their bounding box. Throws InputError when a side of the extent exceeds kMaxCoordinate.
Pattern pattern_of(PieceSource& pieces, const RuleSpec& rule, std::int64_t generation);

}  // namespace tessera
