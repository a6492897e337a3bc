#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backends/cpu/crew.h"
#include "backends/cpu/tile_kernel.h"
#include "core/rules/rule.h"
#include "core/tiles/state_store.h"
#include "core/tiles/tile_pool.h"

namespace tessera {

/// Tiles on the CPU, with the widest vectors that it has.
class CpuTilePool final : public TilePool {
 public:
  /// Waking the other threads takes as long as stepping some hundred tiles.
  static constexpr std::size_t kWorthSharing = 1024;

  /// `limit`: see TilePool::limit. `threads` >= 1 share the worklists of `worth_sharing` tiles and
  /// more.
  CpuTilePool(const Rule& rule, std::int64_t limit, int threads,
              std::size_t worth_sharing = kWorthSharing);

  TileState put(const TileRows& rows) override { return states_.put(rows); }
  void get(TileState state, TileRows& rows) const override { states_.get(state, rows); }
  int population(TileState state) const override { return states_.population(state); }
  void hold(TileState state) override { states_.hold(state); }
  void release(TileState state) override { states_.release(state); }
  void set_frames(const std::vector<TileFrame>& frames) override;
  void visit(TileTable& table, const TileStep& step, std::span<const TileId> list,
             TileWork& next) override;
  TileState peek(TileTable& table, int now, TileId tile, int generations) override;
  std::int64_t bytes() const override { return states_.bytes(); }
  std::int64_t limit() const override { return limit_; }

 private:
  std::span<const TileId> in_order(const TileTable& table, std::span<const TileId> list);
  void share(const TileVisit& visit, std::span<const TileId> list);

  Rule rule_;
  std::int64_t limit_;
  std::size_t worth_sharing_;
  std::vector<WindowMask> masks_;
  StateStore states_{tile_population};
  std::vector<TileLane> lanes_;        // one per thread
  std::unique_ptr<Crew> crew_;         // made when first used
  std::vector<std::uint64_t> listed_;  // scratch of in_order: a bit for each tile
  std::vector<TileId> ordered_;        // likewise
};

}  // namespace tessera
