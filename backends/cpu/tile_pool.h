#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
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
  static constexpr std::size_t kWorthSharing = 512;

  /// `limit`: see TilePool::limit. `threads` >= 1 share the worklists of `worth_sharing` tiles and
  /// more.
  CpuTilePool(const Rule& rule, std::int64_t limit, int threads,
              std::size_t worth_sharing = kWorthSharing);

  TileState put(const TileRows& rows) override { return states_.put(rows); }
  void get(TileState state, TileRows& rows) const override { states_.get(state, rows); }
  void get_rows(TileState state, int first, int end, TileRows& rows) const override {
    states_.get_rows(state, first, end, rows);
  }
  int population(TileState state) const override { return states_.population(state); }
  void hold(TileState state) override { states_.hold(state); }
  void release(TileState state) override { states_.release(state); }
  void set_frames(const std::vector<TileFrame>& frames) override;
  void visit(TileTable& table, const TileStep& step, std::span<const TileId> list,
             TileWork& next) override;
  int parts(std::size_t tiles) const override;
  void share(int parts, const std::function<void(int)>& run) override;
  TileState peek(TileTable& table, int now, TileId tile, int generations) override;
  std::int64_t bytes() const override { return states_.bytes(); }
  std::int64_t limit() const override { return limit_; }

 private:
  // Tiles that a thread visits step for step, so that they stay in its own caches; whoever has
  // visited all of its tiles helps the others.
  struct alignas(64) Segment {
    std::atomic<std::size_t> taken{0};
    std::size_t end = 0;
  };

  std::span<const TileId> in_order(const TileTable& table, std::span<const TileId> list);
  std::size_t new_states(const TileState* after, std::span<const TileId> list, std::size_t lanes);
  void share_visits(const TileVisit& visit, std::span<const TileId> list, std::size_t lanes);

  Rule rule_;
  std::int64_t limit_;
  std::size_t worth_sharing_;
  std::vector<WindowMask> masks_;
  StateStore states_{tile_population};
  std::vector<TileLane> lanes_;        // one per thread
  std::vector<Segment> segments_;      // likewise
  std::unique_ptr<Crew> crew_;         // made when first used
  std::vector<std::uint64_t> listed_;  // scratch of in_order: a bit for each tile
  std::vector<TileId> ordered_;        // likewise
  int unordered_ = 0;                  // long lists since the last one that was put in order
};

}  // namespace tessera
