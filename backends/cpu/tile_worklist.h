#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

#include <hwy/base.h>

#include "backends/cpu/tile_kernel.h"

/// What visits of tiles tell the next step, for the kernels that make them.
namespace tessera::tile_worklist {

/// Puts a tile on the next worklist, unless some thread did, or it is never visited.
HWY_INLINE void queue(const TileVisit& v, TileLane& lane, TileId tile) {
  if (v.tiles[tile].copy) return;
  const std::atomic_ref<std::uint64_t> queued(v.tiles[tile].queued);
  if (queued.load(std::memory_order_relaxed) == v.stamp) return;
  if (v.alone) {
    // An exchange waits until all cells that were written have reached the cache.
    queued.store(v.stamp, std::memory_order_relaxed);
  } else if (queued.exchange(v.stamp, std::memory_order_relaxed) == v.stamp) {
    return;
  }
  lane.list.push_back(tile);
}

/// A tile is another one than it was: it and those who see that are visited next.
HWY_INLINE void tell(const TileVisit& v, TileLane& lane, TileId tile, std::uint32_t ways) {
  queue(v, lane, tile);
  const Tile& t = v.tiles[tile];
  if (t.copied) lane.copied.push_back(tile);
  std::uint32_t missing = 0;
  for (; ways; ways &= ways - 1) {
    const int d = std::countr_zero(ways);
    if (t.next[d]) {
      queue(v, lane, t.next[d]);
    } else {
      missing |= 1u << d;
    }
  }
  if (missing) lane.missing.push_back({tile, missing});
}

/// Columns of a state's words that its neighbours see, by way, of the rows that they see: the first
/// ones, all, the last ones.
inline constexpr std::uint64_t kColumns = kWholeTileRow << kTileMargin;
inline constexpr std::uint64_t kLeftColumns = ((std::uint64_t{1} << kTileMargin) - 1)
                                              << kTileMargin;
inline constexpr std::uint64_t kRightColumns = kLeftColumns << (kTileSide - kTileMargin);
struct alignas(64) SeenColumns {
  std::uint64_t of[kTileWays] = {kLeftColumns,  kColumns,     kRightColumns, kLeftColumns,
                                 kRightColumns, kLeftColumns, kColumns,      kRightColumns};
};
inline constexpr SeenColumns kSeenColumns;

/// The neighbours that see cells of six rows of words.
HWY_INLINE std::uint32_t ways_of(const std::uint64_t (&row)[6]) {
  const std::uint64_t any = row[0] | row[1] | row[2] | row[3] | row[4] | row[5];
  const std::uint64_t rows[kTileWays] = {row[0], row[0], row[0], any, any, row[5], row[5], row[5]};
  std::uint32_t out = 0;
  for (int d = 0; d < kTileWays; d++) out |= (rows[d] & kSeenColumns.of[d] ? 1u : 0u) << d;
  return out;
}

}  // namespace tessera::tile_worklist
