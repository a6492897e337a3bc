#pragma once

#include <optional>

#include "core/patterns/pattern.h"

namespace tessera::test {

/// What Life 1.06 keeps of a pattern: its live cells, their box and where that lies.
inline Pattern as_life106(Pattern p) {
  const std::optional<Bounds> cells = p.cells.bounds();
  const Cell at = p.position.value_or(Cell{0, 0});
  p.position.reset();
  p.width = p.height = 0;
  if (cells) {
    p.position = Cell{at.x + cells->xmin, at.y + cells->ymin};
    p.cells = p.cells.moved(-cells->xmin, -cells->ymin);
    fit_box(p);
  }
  return p;
}

}  // namespace tessera::test
