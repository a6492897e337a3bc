#include "core/spaces/activity_sample.h"

#include <algorithm>
#include <cstdint>

#include "core/tiles/tile.h"

namespace tessera {

namespace {

// Bands are few and wide: each is a piece of a transfer where a device is far.
constexpr std::int64_t kMostBands = 8, kWindowsPerBand = 32;
constexpr std::int64_t kMostColumns = kWindowsPerBand * kTileSide + 2 * kTileMargin;

struct Count {
  std::int64_t windows = 0, found = 0;
  double share() const {
    return windows > 0 ? static_cast<double>(found) / static_cast<double>(windows) : 0;
  }
};

// Counts a band's windows, and those in which `differs` is true of some 64 cells from (x, y) on.
template <class Differs>
void count_windows(const Rect& band, const Differs& differs, Count& count) {
  for (std::int64_t x = 0; x == 0 || x + 2 * kTileMargin < band.width; x += kTileSide) {
    count.windows++;
    for (std::int64_t y = 0; y < band.height; y++) {
      if (!differs(x, y)) continue;
      count.found++;
      break;
    }
  }
}

}  // namespace

ActivitySample::ActivitySample(Space& space) {
  const Rect all = space.extent();
  const std::int64_t width = std::min(all.width, kMostColumns);
  const std::int64_t height = std::min<std::int64_t>(all.height, kTileWindowSide);
  const std::int64_t bands = std::min(kMostBands, ceil_div(all.height, kTileWindowSide));
  for (std::int64_t i = 0; i < bands; i++) {
    // Evenly from top to bottom, and not all at the same columns.
    const std::int64_t last = std::max<std::int64_t>(1, bands - 1);
    const std::int64_t y = (all.height - height) / last * i;
    const std::int64_t x = (all.width - width) / last * (3 * i % bands);
    bands_.push_back({all.x + x, all.y + y, width, height});
  }
  before_ = space.read(bands_);
}

double ActivitySample::live() const {
  Count count;
  for (std::size_t i = 0; i < bands_.size(); i++) {
    const BitGrid& cells = before_[i].plane(0);
    count_windows(
        bands_[i], [&](std::int64_t x, std::int64_t y) { return cells.bits(x, y) != 0; }, count);
  }
  return count.share();
}

double ActivitySample::changed(Space& space) const {
  Count count;
  const std::vector<CellGrid> read = space.read(bands_);
  for (std::size_t i = 0; i < bands_.size(); i++) {
    const BitGrid &now = read[i].plane(0), &before = before_[i].plane(0);
    count_windows(
        bands_[i],
        [&](std::int64_t x, std::int64_t y) { return now.bits(x, y) != before.bits(x, y); }, count);
  }
  return count.share();
}

}  // namespace tessera
