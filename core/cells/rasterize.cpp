#include "core/cells/rasterize.h"

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
  for_each_run(grid, grid_origin, [&runs](std::int64_t x, std::int64_t y, std::int64_t length) {
    runs.append(x, y, length);
  });
  return runs;
}

}  // namespace tessera
