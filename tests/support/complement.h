#pragma once

#include <cstdint>

#include "core/cells/cell_grid.h"

namespace tessera::test {

/// Dead cells where those of two states are alive, and the other way round.
inline CellGrid complement(const CellGrid& cells) {
  CellGrid out(cells.width(), cells.height());
  for (std::int64_t y = 0; y < cells.height(); y++)
    for (std::int64_t x = 0; x < cells.width(); x++) out.plane(0).set(x, y, cells.state(x, y) == 0);
  return out;
}

}  // namespace tessera::test
