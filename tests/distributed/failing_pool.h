#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "backends/cpu/tile_pool.h"
#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/tiles/tile_plane.h"
#include "core/universe.h"
#include "tests/distributed/shared_lives.h"

namespace tessera::test {

/// Where memory ends once, in the visit of that number.
class FailingPool final : public TilePool {
 public:
  FailingPool(const Rule& rule, int fails_at, std::shared_ptr<std::atomic<int>> failures)
      : pool_(rule, std::int64_t{1} << 62, 1), left_(fails_at), failures_(std::move(failures)) {}
  TileState put(const TileRows& rows) override { return pool_.put(rows); }
  void get(TileState state, TileRows& rows) const override { pool_.get(state, rows); }
  void get_rows(TileState state, int first, int end, TileRows& rows) const override {
    pool_.get_rows(state, first, end, rows);
  }
  int population(TileState state) const override { return pool_.population(state); }
  void hold(TileState state) override { pool_.hold(state); }
  void release(TileState state) override { pool_.release(state); }
  void visit(TileTable& table, const TileStep& step, std::span<const TileId> list,
             TileWork& next) override {
    if (left_-- == 0) {
      ++*failures_;
      throw std::bad_alloc();
    }
    pool_.visit(table, step, list, next);
  }
  TileState peek(TileTable& table, const TileStep& step, TileId tile) override {
    return pool_.peek(table, step, tile);
  }
  std::int64_t bytes() const override { return pool_.bytes(); }
  std::int64_t limit() const override { return pool_.limit(); }

 private:
  CpuTilePool pool_;
  int left_;
  std::shared_ptr<std::atomic<int>> failures_;
};

/// Steps a soup over parts of which some have no memory now and then, beside a grid.
inline void check_plane_goes_on(const std::vector<TileShare>& shares, std::uint64_t seed) {
  TilePlane plane(kLife, std::make_unique<SharedTiles>(shares, kRestless));
  Universe grid(RuleSpec{}, make_factory("cpu", "simd", {}), 0, SpaceChoice::grid);
  const BitGrid soup = make_soup({seed, 25000}, 300, 200);
  plane.edit({0, 0}, soup);
  grid.edit({0, 0}, soup);
  while (plane.generation() < 400) {
    try {
      plane.step(std::min<std::int64_t>(40, 400 - plane.generation()));
    } catch (const std::bad_alloc&) {
      // Where no step was taken before.
    } catch (const DeviceMemoryError&) {
      // The same on another rank.
    }
    grid.step(plane.generation() - grid.generation());
    REQUIRE(plane.survey(kWholeSurvey) == grid.survey());
  }
}

}  // namespace tessera::test
