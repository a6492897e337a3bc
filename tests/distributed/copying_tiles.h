#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "backends/cpu/tile_pool.h"
#include "backends/distributed/shared_tiles.h"
#include "backends/drivers.h"
#include "core/tiles/pool_tiles.h"
#include "core/tiles/tile_layout.h"
#include "core/tiles/tile_plane.h"
#include "core/universe.h"
#include "tests/tiles/random_lives.h"

namespace tessera::test {

/// What a device that makes copies was asked lately.
struct Copying {
  std::size_t copies = 0;      ///< that it makes
  std::size_t most_steps = 0;  ///< that it was given at once
};

/// Tiles of a pool that make copies as a device does, wherever they are called. `told` must outlive
/// it.
class CopyingTiles final : public TileDevice {
 public:
  CopyingTiles(const Rule& rule, Copying& told)
      : pool_(std::make_unique<CpuTilePool>(rule, std::int64_t{1} << 62, 1)), told_(told) {}

  void set_frames(const std::vector<TileFrame>& frames) override { pool_.set_frames(frames); }
  bool makes_copies() const override { return true; }
  void set_copies(const std::vector<TileCopy>& copies) override {
    copies_ = copies;
    told_.copies = copies.size();
  }
  void reserve(TileId end) override {
    pool_.reserve(end);
    next_.resize(std::max<std::size_t>(next_.size(), end));
  }
  void restart(int kept, int slots) override {
    pool_.restart(kept, slots);
    slots_ = slots;
  }
  void patch(const TilePatch& patch) override {
    pool_.patch(patch);
    for (std::size_t i = 0; i < patch.linked.size(); i++) {
      next_[patch.linked[i]] = patch.links[i].next;
    }
    renew(patch.slot);
  }
  DeviceProgress step(std::span<const DeviceStep> steps,
                      std::vector<MissingTiles>& missing) override {
    told_.most_steps = std::max(told_.most_steps, steps.size());
    DeviceProgress done;
    missing.clear();
    for (const DeviceStep& each : steps) {
      const DeviceProgress one = pool_.step({&each, 1}, missing);
      done.steps++;
      done.visits += one.visits;
      done.active = one.active + renew(each.after);
      if (!missing.empty()) break;
    }
    return done;
  }
  void look_ahead(int now, int generations, bool odd) override {
    pool_.look_ahead(now, generations, odd);
  }
  void look(int slot, bool of_all_slots, bool remember, std::vector<TileFacts>& facts) override {
    pool_.look(slot, of_all_slots, remember, facts);
  }
  void get(int slot, std::span<const TileId> tiles, std::vector<TileRows>& rows) override {
    pool_.get(slot, tiles, rows);
  }
  void lone_shapes(int slot, int cells, int most, std::vector<LoneShape>& shapes) override {
    pool_.lone_shapes(slot, cells, most, shapes);
  }
  std::int64_t bytes_per_tile() const override { return pool_.bytes_per_tile(); }
  std::int64_t limit() const override { return pool_.limit(); }

 private:
  TileRows cells_of(int slot, TileId tile) {
    std::vector<TileRows> rows;
    pool_.get(slot, {&tile, 1}, rows);
    return rows[0];
  }

  // Makes all copies anew in a slot; tiles that see that, and the next step visits.
  std::int64_t renew(int slot) {
    TilePatch changes;
    changes.slot = slot;
    for (const TileCopy& copy : copies_) {
      TileRows rows{};
      for (const TileCopy::Part& part : copy.parts) {
        const TileRows from = cells_of(slot, part.tile);
        const std::uint64_t columns = (std::uint64_t{1} << part.width) - 1;
        for (int r = 0; r < part.height; r++) {
          const std::uint64_t bits = from[static_cast<std::size_t>(part.from_y + r)] >> part.from_x;
          rows[static_cast<std::size_t>(part.y + r)] |= (bits & columns) << part.x;
        }
      }
      const TileRows known = cells_of(slot, copy.tile);
      if (rows == known) continue;
      changes.drawn.push_back(copy.tile);
      changes.rows.push_back(rows);
      const std::uint32_t ways = ways_that_see(difference({&rows, 1}, {&known, 1}));
      for (std::size_t d = 0; d < kTileWays; d++) {
        const TileId other = next_[copy.tile][d];
        if (other && ways >> d & 1) changes.queued.push_back(other);
      }
    }
    if (!changes.drawn.empty()) pool_.patch(changes);
    return static_cast<std::int64_t>(changes.queued.size());
  }

  PoolTiles pool_;
  Copying& told_;
  std::vector<TileCopy> copies_;
  std::vector<std::array<TileId, kTileWays>> next_{{}};
};

/// Steps a torus over parts beside a grid: tiles are divided when many move, and go back to the
/// fastest part, which tells `home`, when few do. Whenever it has all of them it makes the copies
/// along the edges, and takes many steps at once.
inline void check_copies_come_and_go(const std::vector<TileShare>& shares, const Copying& home) {
  constexpr std::int64_t kWidth = 1000, kHeight = 700;
  auto made = std::make_unique<SharedTiles>(shares, SharePolicy{.worth = 100, .interval = 4});
  SharedTiles& tiles = *made;
  TilePlane plane(kLife, std::move(made), TileLayout(Topology::torus, kWidth, kHeight));
  Universe grid(RuleSpec{kLife, Topology::torus, kWidth, kHeight}, make_factory("cpu", "simd", {}),
                0, SpaceChoice::grid);
  const Cell origin = grid.spec().origin();
  const Rect all{0, 0, kWidth, kHeight};
  const auto edit = [&](const Cell& at, const BitGrid& cells) {
    plane.edit(at, cells);
    grid.edit({at.x + origin.x, at.y + origin.y}, cells);
  };
  const auto parts = [&] {
    return std::ranges::count_if(tiles.tiles_of_parts(), [](std::int64_t n) { return n > 0; });
  };
  for (std::uint64_t seed = 0; seed < 3; seed++) {
    INFO(seed);
    // Few cells in a corner, whose debris leaves by two edges.
    edit({0, 0}, BitGrid(kWidth, kHeight));
    edit({kWidth - 30, kHeight - 20}, make_soup({seed, 25000}, 30, 20));
    edit({kWidth - 30, 0}, make_soup({seed, 25000}, 30, 20));
    const auto go = [&](std::int64_t generations) {
      plane.step(generations);
      grid.step(generations);
      REQUIRE(CellGrid(plane.read(all)) == grid.window(grid.extent()));
    };
    for (const std::int64_t generations : {200, 1, 24, 61, 240}) go(generations);
    CHECK(parts() == 1);
    CHECK(home.copies > 0);
    CHECK(home.most_steps > 4);
    edit({0, 40}, make_soup({seed + 10, 25000}, kWidth, 600));
    for (const std::int64_t generations : {5, 32, 3, 100}) go(generations);
    CHECK(parts() > 1);
    CHECK(home.copies == 0);
  }
}

}  // namespace tessera::test
