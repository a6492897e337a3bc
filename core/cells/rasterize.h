#pragma once

#include <bit>
#include <cstdint>

#include "core/base/geometry.h"
#include "core/cells/bit_grid.h"
#include "core/cells/cell_runs.h"

namespace tessera {

/// Makes the cells of `runs`, moved by `offset`, alive in a grid whose top-left cell is at
/// `grid_origin`. Other cells keep their state. All runs must lie inside the grid; otherwise throws
/// std::invalid_argument and draws nothing.
void draw_runs(const CellRuns& runs, Cell offset, BitGrid& grid, Cell grid_origin);

/// Calls `visit(x, y, length)` for the runs of live cells of a grid whose top-left cell is at
/// `grid_origin`, in reading order. They are read word by word: one that goes on in the next word
/// comes in parts, which CellRuns and CellCollector merge.
template <class Visit>
void for_each_run(const BitGrid& grid, Cell grid_origin, Visit&& visit) {
  const std::int64_t words = grid.words_per_row();
  for (std::int64_t y = 0; y < grid.height(); ++y) {
    const std::uint64_t* row = grid.row(y);
    for (std::int64_t word = 0; word < words; ++word) {
      std::uint64_t rest = row[word];
      int at = 0;
      while (rest != 0) {
        const int gap = std::countr_zero(rest);
        rest >>= gap;
        const int length = std::countr_one(rest);
        visit(grid_origin.x + word * 64 + at + gap, grid_origin.y + y, std::int64_t{length});
        at += gap + length;
        rest = length == 64 ? 0 : rest >> length;
      }
    }
  }
}

/// The live cells of a grid whose top-left cell is at `grid_origin`.
CellRuns runs_of(const BitGrid& grid, Cell grid_origin);

}  // namespace tessera
