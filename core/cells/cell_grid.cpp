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

int CellGrid::highest_state(int least) const {
  if (least >= 1 << planes()) return 0;
  int highest = 0;
  for (std::size_t i = 0; i < plane(0).words().size(); i++) {
    // The highest state of the cells of a word, bit by bit from above.
    std::uint64_t left = ~std::uint64_t{0};
    int state = 0;
    for (int p = planes() - 1; p >= 0; p--) {
      const std::uint64_t with = left & plane(p).words()[i];
      if (with == 0) continue;
      left = with;
      state |= 1 << p;
    }
    highest = std::max(highest, state);
  }
  return highest < least ? 0 : highest;
}

std::vector<std::int64_t> CellGrid::census() const {
  std::vector<std::int64_t> counts(std::size_t{1} << planes());
  std::vector<std::uint64_t> cells(counts.size());  // of a word, by state
  for (std::size_t i = 0; i < plane(0).words().size(); i++) {
    cells[0] = ~std::uint64_t{0};
    for (int p = 0; p < planes(); p++) {
      const std::uint64_t set = plane(p).words()[i];
      for (std::size_t s = 0; s < std::size_t{1} << p; s++) {
        cells[s | std::size_t{1} << p] = cells[s] & set;
        cells[s] &= ~set;
      }
    }
    for (std::size_t s = 1; s < counts.size(); s++) counts[s] += std::popcount(cells[s]);
  }
  counts[0] = width() * height();
  for (std::size_t s = 1; s < counts.size(); s++) counts[0] -= counts[s];
  return counts;
}

BitGrid CellGrid::live() const {
  BitGrid any = plane(0);
  for (int p = 1; p < planes(); p++) {
    for (std::size_t i = 0; i < any.words().size(); i++) any.words()[i] |= plane(p).words()[i];
  }
  return any;
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
