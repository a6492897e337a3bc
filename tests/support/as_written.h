#pragma once

#include <optional>

#include "core/patterns/pattern.h"
#include "core/patterns/pattern_format.h"

namespace tessera::test {

/// A pattern with the box of its live cells, and the position of that.
inline Pattern boxed(Pattern p) {
  const std::optional<Bounds> cells = p.cells.bounds();
  const Cell at = p.position.value_or(Cell{0, 0});
  p.position.reset();
  p.width = p.height = 0;
  if (cells) {
    p.position = Cell{at.x + cells->xmin, at.y + cells->ymin};
    move_cells(p, -cells->xmin, -cells->ymin);
    fit_box(p);
  }
  return p;
}

/// What is read where a pattern was written in a format.
inline Pattern as_written(Pattern p, PatternFormat format) {
  if (format == PatternFormat::life106 || format == PatternFormat::macrocell) return boxed(p);
  // Without a position it would be centred.
  const bool edges = p.rule && p.rule->has_edges();
  if (format == PatternFormat::rle && edges && !p.position) p.position = Cell{0, 0};
  return p;
}

}  // namespace tessera::test
