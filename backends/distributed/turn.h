#pragma once

#include "core/base/geometry.h"
#include "core/cells/cell_grid.h"

namespace tessera {

/// How a copy of cells is turned: where a step to the right, and one down, lead in the original.
struct Turn {
  Cell right{1, 0};
  Cell down{0, 1};

  bool operator==(const Turn&) const = default;
  bool none() const { return *this == Turn{}; }
};

/// The copy of `cells` that is turned so.
CellGrid turned(const CellGrid& cells, const Turn& turn);

}  // namespace tessera
