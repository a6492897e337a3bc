#include "core/cells/rasterize.h"

#include <bit>
#include <stdexcept>

namespace tessera {
namespace {

// a - b; throws when that needs more than 64 bits.
std::int64_t checked_difference(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result) || result < -kMaxCoordinate ||
      result > kMaxCoordinate) {
    throw std::invalid_argument("runs of cells drawn further than 2^62 cells from a grid");
  }
  return result;
}

}  // namespace

void draw_runs(const CellRuns& runs, Cell offset, BitGrid& grid, Cell grid_origin) {
  const std::optional<Bounds> bounds = runs.bounds();
  if (!bounds) return;
  const std::int64_t dx = checked_difference(offset.x, grid_origin.x);
  const std::int64_t dy = checked_difference(offset.y, grid_origin.y);
  // Compared as differences: sums of three coordinates could overflow.
  if (bounds->xmin < -dx || bounds->ymin < -dy || bounds->xmax >= grid.width() - dx ||
      bounds->ymax >= grid.height() - dy) {
    throw std::invalid_argument("runs of cells reach outside the grid they are drawn into");
  }
  CellRuns::Reader reader = runs.reader();
  while (const std::optional<CellRun> run = reader.next()) {
    grid.fill_run(run->x + dx, run->y + dy, run->length);
  }
}

CellRuns runs_of(const BitGrid& grid, Cell grid_origin) {
  CellRuns runs;
  const std::int64_t words = grid.words_per_row();
  for (std::int64_t y = 0; y < grid.height(); ++y) {
    const std::uint64_t* row = grid.row(y);
    for (std::int64_t word = 0; word < words; ++word) {
      // Runs that continue in the next word are merged by append.
      std::uint64_t rest = row[word];
      int at = 0;
      while (rest != 0) {
        const int gap = std::countr_zero(rest);
        rest >>= gap;
        const int length = std::countr_one(rest);
        runs.append(grid_origin.x + word * 64 + at + gap, grid_origin.y + y, length);
        at += gap + length;
        rest = length == 64 ? 0 : rest >> length;
      }
    }
  }
  return runs;
}

}  // namespace tessera
