#include "backends/cpu/range_tile_pool.h"

#include <utility>

#include "backends/cpu/usable_threads.h"

namespace tessera {

RangeTilePool::RangeTilePool(const BackendSpec& spec, int threads)
    : RangeTilePool(spec, threads, RangeWindows(spec.rule)) {}

std::unique_ptr<TilePool> RangeTilePool::of(const BackendSpec& spec, const Tuning& tuning) {
  if (spec.reach() > kTileMargin || spec.odd_rule) return nullptr;
  return std::make_unique<RangeTilePool>(spec, usable_threads(tuning));
}

RangeTilePool::RangeTilePool(const BackendSpec& spec, int threads, RangeWindows windows)
    : CodedTilePool(spec, windows.states(), threads), windows_(std::move(windows)) {
  use(windows_);
}

}  // namespace tessera
