#pragma once

#include <memory>

#include "backends/cpu/coded_tile_pool.h"
#include "backends/cpu/range_windows.h"

namespace tessera {

/// Tiles of rules of longer range.
class RangeTilePool final : public CodedTilePool {
 public:
  /// Tiles under spec.rule, within spec.max_memory, which is of a range up to kTileMargin.
  RangeTilePool(const BackendSpec& spec, int threads);
  /// The same; null where the range is longer or two rules take
  /// turns.
  static std::unique_ptr<TilePool> of(const BackendSpec& spec, const Tuning& tuning);

  int reach() const override { return windows_.radius(); }

 private:
  RangeTilePool(const BackendSpec& spec, int threads, RangeWindows windows);

  RangeWindows windows_;
};

}  // namespace tessera
