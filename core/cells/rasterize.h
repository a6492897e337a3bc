#pragma once

#include "core/base/geometry.h"
#include "core/cells/bit_grid.h"
#include "core/cells/cell_runs.h"

namespace tessera {

/// Makes the cells of `runs`, moved by `offset`, alive in a grid whose top-left cell is at
/// `grid_origin`. Other cells keep their state. All runs must lie inside the grid; otherwise throws
/// std::invalid_argument and draws nothing.
void draw_runs(const CellRuns& runs, Cell offset, BitGrid& grid, Cell grid_origin);

/// The live cells of a grid whose top-left cell is at `grid_origin`, read word by word.
CellRuns runs_of(const BitGrid& grid, Cell grid_origin);

}  // namespace tessera
