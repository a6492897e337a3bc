#include "core/cells/cell_grid.h"

#include <algorithm>
#include <bit>
#include <string>

#include "core/base/error.h"

namespace tessera {

CellGrid::CellGrid(std::int64_t width, std::int64_t height, int planes) {
  if (planes < 1 || planes > 8) {
    throw InputError("a grid of cells with " + std::to_string(planes) +
                     " bit planes; 1 to 8 are accepted");
  }
  planes_.assign(static_cast<std::size_t>(planes), BitGrid(width, height));
}

int CellGrid::state(std::int64_t x, std::int64_t y) const {
  int state = 0;
  for (int p = 0; p < planes(); p++) state |= int{plane(p).get(x, y)} << p;
  return state;
}

void CellGrid::set_state(std::int64_t x, std::int64_t y, int state) {
  for (int p = 0; p < planes(); p++) plane(p).set(x, y, (state >> p & 1) != 0);
}

std::int64_t CellGrid::population() const {
  if (planes() == 1) return plane(0).population();
  std::int64_t count = 0;
  for (std::size_t i = 0; i < plane(0).words().size(); i++) {
    std::uint64_t any = 0;
    for (const BitGrid& each : planes_) any |= each.words()[i];
    count += std::popcount(any);
  }
  return count;
}

std::optional<Bounds> CellGrid::bounds() const {
  std::optional<Bounds> all;
  for (const BitGrid& each : planes_) {
    const std::optional<Bounds> box = each.bounds();
    if (!box) continue;
    if (!all) all = box;
    all = Bounds{std::min(all->xmin, box->xmin), std::min(all->ymin, box->ymin),
                 std::max(all->xmax, box->xmax), std::max(all->ymax, box->ymax)};
  }
  return all;
}

CellGrid CellGrid::window(const Rect& rect) const {
  CellGrid out(plane(0).window(rect));
  for (int p = 1; p < planes(); p++) out.planes_.push_back(plane(p).window(rect));
  return out;
}

void CellGrid::paste(std::int64_t x, std::int64_t y, const CellGrid& cells) {
  if (cells.planes() != planes()) {
    throw InputError("cells of " + std::to_string(cells.planes()) + " bit planes into a grid of " +
                     std::to_string(planes()));
  }
  for (int p = 0; p < planes(); p++) plane(p).paste(x, y, cells.plane(p));
}

}  // namespace tessera
