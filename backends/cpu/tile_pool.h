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

/// Tiles on the CPU, with the widest vectors that it has, shared by threads. Steps two states by
/// the number of eight live neighbours; a derived pool steps others.
class CpuTilePool : public TilePool {
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
  TileState peek(TileTable& table, const TileStep& step, TileId tile) override;
  std::int64_t bytes() const override { return states_.bytes(); }
  std::int64_t limit() const override { return limit_; }

 protected:
  /// Before so many tiles are visited by that many threads, of which each may make as many states
  /// as StateStore::reserve has room for. Throws std::bad_alloc, and nothing has changed then.
  virtual void prepare(std::size_t /*tiles*/, int /*generations*/) {}
  /// Visits tiles of a list; several threads at a time, each with a lane of its own.
  virtual void visit_tiles(const TileVisit& visit, std::size_t lane, const TileId* list,
                           std::size_t count);
  virtual TileState peek_tile(const TileVisit& visit, TileId tile);

  std::size_t lanes() const { return lanes_.size(); }
  TileLane& lane(std::size_t number) { return lanes_[number]; }
  StateStore& states() { return states_; }
  const StateStore& states() const { return states_; }

 private:
  // Tiles that a thread visits step for step, so that they stay in its own caches; whoever has
  // visited all of its tiles helps the others.
  struct alignas(64) Segment {
    std::atomic<std::size_t> taken{0};
    std::size_t end = 0;
  };

  TileVisit visit_of(TileTable& table, const TileStep& step);
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
