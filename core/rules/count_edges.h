#pragma once

#include <vector>

#include "core/rules/range_rule.h"

namespace tessera {

/// A cell so far right and so far down.
struct CellOffset {
  int dx, dy;
};

/// Cells that add to a number and cells that take from it.
struct CellBalance {
  std::vector<CellOffset> plus, minus;

  /// All cells, moved.
  CellBalance moved(int dx, int dy) const;
};

/// What counts of a neighbourhood gain and lose from one cell to the next: those of its cells alone
/// that have no other one beyond them. The cell itself always counts.
struct CountEdges {
  enum class Step { down, right };  ///< from the cell above to this one, or from that on the left
  CountEdges(const RangeRule& rule, Step step);

  CellBalance cells;  ///< as seen from this cell
  /// What that balance gains and loses itself from the cell on the left to this one. There are as
  /// few as four for any rectangle.
  CellBalance corners;
};

/// What such a balance gains and loses itself from the cell above to this one.
CellBalance change_below(const CellBalance& cells);

/// Whether the cells that add lie behind each other, each `step` from the one before it, and as
/// many that take lie so beside them. What such a balance gains a step further on are the last cell
/// that adds and the first one that takes, each seen from there; it loses the other two.
bool are_lines(const CellBalance& cells, const CellOffset& step);

/// Whether corners are so few, and fewer than the cells, that what counts gain is carried on by
/// them, where code has them one by one.
bool few_corners(const CellBalance& corners, const CellBalance& cells);

/// All that count, the cell itself too.
std::vector<CellOffset> counted_cells(const RangeRule& rule);

}  // namespace tessera
