// Tiles of one plane over several parts: the cells of a grid, work that is really divided, and what
// happens when parts are uneven, unlike, or without memory.
#include "backends/distributed/shared_tiles.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/tile_pool.h"
#include "backends/distributed/shared_tiles_backend.h"
#include "backends/drivers.h"
#include "core/pattern_io.h"
#include "core/tiles/pool_tiles.h"
#include "core/tiles/tile_plane.h"
#include "core/universe.h"
#include "tests/distributed/copying_tiles.h"
#include "tests/distributed/failing_pool.h"
#include "tests/support/kernels.h"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr std::int64_t kNoLimit = std::int64_t{1} << 62;

std::vector<TileShare> shares_of(const Rule& rule, int parts, std::int64_t limit = kNoLimit) {
  std::vector<TileShare> shares(static_cast<std::size_t>(parts));
  for (TileShare& share : shares) {
    share.make = [=] {
      return std::make_unique<PoolTiles>(std::make_unique<CpuTilePool>(rule, limit, 1));
    };
  }
  return shares;
}

// Parts that make copies; what is asked of the first of them is told.
std::vector<TileShare> copying_shares_of(const Rule& rule, std::vector<Copying>& told) {
  std::vector<TileShare> shares(told.size());
  for (std::size_t i = 0; i < shares.size(); i++) {
    shares[i].make = [rule, &of = told[i]] { return std::make_unique<CopyingTiles>(rule, of); };
  }
  return shares;
}

using MakeShares = std::function<std::vector<TileShare>(const Rule&)>;

BackendFactory factory_of(const MakeShares& shares, const SharePolicy& policy) {
  return [=](const BackendSpec& spec) {
    return std::make_unique<SharedTilesBackend>(spec, BackendInfo{"cpu", "parts", "simd", {}}, [=] {
      return std::make_unique<SharedTiles>(shares(spec.rule), policy);
    });
  };
}

BackendFactory factory_of(int parts, const SharePolicy& policy, std::int64_t limit = kNoLimit) {
  return factory_of([=](const Rule& rule) { return shares_of(rule, parts, limit); }, policy);
}

// A plane over parts, which can be asked who does what.
struct SharedPlane {
  SharedPlane(const std::vector<TileShare>& shares, const SharePolicy& policy) {
    auto made = std::make_unique<SharedTiles>(shares, policy);
    tiles = made.get();
    plane = std::make_unique<TilePlane>(kLife, std::move(made));
  }
  // Visits of each part, of all of them, since the last call.
  std::vector<double> shares_of_work() {
    const std::vector<double> now = tiles->visits_of_parts();
    std::vector<double> out = now;
    if (!before.empty()) {
      for (std::size_t i = 0; i < out.size(); i++) out[i] -= before[i];
    }
    before = now;
    const double all = std::accumulate(out.begin(), out.end(), 0.0);
    for (double& each : out) each /= all;
    return out;
  }

  SharedTiles* tiles = nullptr;
  std::unique_ptr<TilePlane> plane;
  std::vector<double> before;
};

BitGrid cells_of(const char* rle) {
  const Pattern pattern = parse_pattern(rle, "drawn.rle");
  const Rect box = pattern.cells.bounds()->rect();
  BitGrid cells(box.width, box.height);
  CellRuns::Reader reader = pattern.cells.reader();
  while (const std::optional<CellRun> run = reader.next()) {
    cells.fill_run(run->x - box.x, run->y - box.y, run->length);
  }
  return cells;
}

constexpr const char* kGun =
    "24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bobo$10bo5bo7bo$11bo3bo$"
    "12b2o!";

std::vector<TileLoad> square_of_tiles(std::int64_t width, std::int64_t height) {
  std::vector<TileLoad> tiles;
  for (std::int64_t y = 0; y < height; y++) {
    for (std::int64_t x = 0; x < width; x++) tiles.push_back({{x, y}, 1});
  }
  return tiles;
}

std::vector<std::int64_t> counts_of(const std::vector<TileLoad>& tiles, const TileCuts& cuts) {
  std::vector<std::int64_t> counts(cuts.cuts.size() + 1, 0);
  for (const TileLoad& tile : tiles) counts[cuts.part_of(tile.at)]++;
  return counts;
}

}  // namespace

TEST_CASE("cuts give each part what it is fast enough for, even within a column") {
  const std::vector<std::int64_t> any{1000, 1000, 1000};
  for (const auto& [width, height] : {std::pair{30, 10}, {10, 30}, {1, 300}, {300, 1}}) {
    std::vector<TileLoad> tiles = square_of_tiles(width, height);
    const TileCuts cuts = cut_tiles(tiles, std::vector<double>{1, 1, 1}, any, false);
    CHECK(counts_of(tiles, cuts) == std::vector<std::int64_t>{100, 100, 100});
    CHECK(cuts.by_rows == (height > 2 * width));
    CHECK(counts_of(tiles, cut_tiles(tiles, std::vector<double>{1, 4, 5}, any, false)) ==
          std::vector<std::int64_t>{30, 120, 150});
    CHECK(counts_of(tiles, cut_tiles(tiles, std::vector<double>{1, 1, 1},
                                     std::vector<std::int64_t>{1000, 50, 120}, false)) ==
          std::vector<std::int64_t>{130, 50, 120});
  }
  // What is visited more counts more.
  std::vector<TileLoad> tiles = square_of_tiles(100, 1);
  for (TileLoad& tile : tiles) tile.load = tile.at.x < 10 ? 9 : 1;
  CHECK(counts_of(tiles, cut_tiles(tiles, std::vector<double>{1, 1}, any, false)) ==
        std::vector<std::int64_t>{10, 90});
  // Fewer tiles than parts, and none.
  std::vector<TileLoad> one = square_of_tiles(1, 1), none;
  const std::vector<double> speeds{1, 1, 1};
  CHECK(cut_tiles(one, speeds, any, false).cuts.size() == 2);
  CHECK(cut_tiles(none, speeds, any, false).cuts.size() == 2);
}

TEST_CASE("random lives over parts are those of a grid, however often tiles move") {
  const std::int64_t cases = ceil_div(case_count(300), 3);
  for (int n = 0; n < 3; n++) {
    INFO("parts " << n + 2);
    check_random_lives(factory_of(n + 2, kRestless), n * cases, cases);
  }
}

TEST_CASE("random lives are those of a grid though parts make copies until tiles are divided") {
  // Tiles are divided after a few steps, and go back when little moves.
  constexpr SharePolicy kLate{.worth = 6, .dividing = 2, .uneven = 1, .interval = 1};
  std::vector<Copying> told(3);
  const auto shares = [&](const Rule& rule) { return copying_shares_of(rule, told); };
  check_random_lives(factory_of(shares, kLate), 0, case_count(300));
}

TEST_CASE("a part makes the copies of a torus while it has all tiles") {
  for (const std::size_t home : {0, 1}) {
    std::vector<Copying> told(3);
    std::vector<TileShare> shares = copying_shares_of(kLife, told);
    shares[home].speed = 2;
    check_copies_come_and_go(shares, told[home]);
    for (std::size_t i = 0; i < told.size(); i++) {
      if (i != home) CHECK(told[i].copies == 0);
    }
  }
}

TEST_CASE("guns at one end and debris at the other are visited by all parts alike") {
  for (const int parts : {2, 3, 5}) {
    INFO(parts);
    SharePolicy policy{.worth = 0};
    SharedPlane shared(shares_of(kLife, parts), policy);
    TilePlane& plane = *shared.plane;
    Universe grid(RuleSpec{}, make_factory("cpu", "simd", {}), 0, SpaceChoice::grid);
    const auto edit = [&](const Cell& at, const BitGrid& cells) {
      plane.edit(at, cells);
      grid.edit(at, cells);
    };
    // Streams cross the seams, and what was quiet for long comes alive.
    for (std::int64_t n = 0; n < 6; n++) edit({0, 150 * n}, cells_of(kGun));
    edit({900, 300}, make_soup({3, 20000}, 500, 400));
    for (int n = 0; n < 8; n++) {
      plane.step(n % 2 ? 301 : 256);
      grid.step(n % 2 ? 301 : 256);
      REQUIRE(plane.survey(kWholeSurvey) == grid.survey());
      const std::vector<double> work = shared.shares_of_work();
      if (n < 2) continue;
      for (const double each : work) CHECK(each > 0.4 / parts);
      for (const double each : work) CHECK(each < 1.8 / parts);
    }
    for (const std::int64_t tiles : shared.tiles->tiles_of_parts()) CHECK(tiles > 0);
    const Rect box = grid.extent();
    CHECK(CellGrid(plane.read(box)) == grid.window(box));
  }
}

TEST_CASE("a part gets as many visits as it is fast") {
  std::vector<TileShare> shares = shares_of(kLife, 2);
  shares[1].speed = 3;
  SharedPlane shared(shares, {.worth = 0});
  shared.plane->edit({0, 0}, make_soup({9, 25000}, 1500, 1500));
  shared.plane->step(300);
  shared.shares_of_work();
  shared.plane->step(300);
  const std::vector<double> work = shared.shares_of_work();
  CHECK(work[1] > 0.65);
  CHECK(work[1] < 0.85);
}

TEST_CASE("few tiles stay with one part, many are divided, and what has settled goes back") {
  SharedPlane shared(shares_of(kLife, 3), {.worth = 200, .interval = 8});
  const auto sharing = [&] {
    return std::ranges::count_if(shared.tiles->tiles_of_parts(),
                                 [](std::int64_t tiles) { return tiles > 0; });
  };
  shared.plane->edit({0, 0}, cells_of(kThings[5]));  // the R-pentomino
  shared.plane->step(200);
  CHECK(sharing() == 1);
  shared.plane->edit({1000, 0}, make_soup({5, 25000}, 1500, 1500));
  shared.plane->step(100);
  CHECK(sharing() == 3);
  shared.plane->edit({700, -300}, BitGrid(2100, 2100));
  shared.plane->step(400);
  CHECK(sharing() == 1);
}

TEST_CASE("more tiles than one part may have alone are divided as they come, and stay so") {
  SharedPlane shared(shares_of(kLife, 3), {.worth = 1e9, .interval = 1, .most_alone = 100});
  TilePlane plane(kLife, std::make_unique<CpuTilePool>(kLife, kNoLimit, 1));
  // Rows of 60 tiles, which the parts are told of one by one.
  for (int row = 0; row < 60; row++) {
    const BitGrid cells = make_soup({static_cast<std::uint64_t>(row), 25000}, 60 * 48, 48);
    for (TilePlane* const each : {shared.plane.get(), &plane}) {
      each->edit({0, row * 48}, cells);
      each->step(1);
    }
    const std::vector<std::int64_t> tiles = shared.tiles->tiles_of_parts();
    const std::int64_t all = std::accumulate(tiles.begin(), tiles.end(), std::int64_t{0});
    if (all > 200) CHECK(std::ranges::max(tiles) < 2 * all / 3);
  }
  // Little moves in the end; as tiles of one part they would have gone back.
  for (int n = 0; n < 50; n++) {
    for (TilePlane* const each : {shared.plane.get(), &plane}) each->step(8);
    REQUIRE(std::ranges::min(shared.tiles->tiles_of_parts()) > 100);
  }
  CHECK(shared.plane->survey({true, true, true}) == plane.survey({true, true, true}));
  CHECK(shared.plane->read({0, 0, 2880, 2880}) == plane.read({0, 0, 2880, 2880}));
}

TEST_CASE("random lives are those of a grid where a few tiles are too many for one part") {
  const SharePolicy policy{.worth = 1e9, .interval = 1, .most_alone = 12};
  check_random_lives(factory_of(3, policy), 0, ceil_div(case_count(300), 6));
}

TEST_CASE("tiles are divided once one part has stepped for as long as that takes") {
  SharedPlane shared(shares_of(kLife, 3), {.worth = 200, .dividing = 20, .interval = 8});
  const auto sharing = [&] {
    return std::ranges::count_if(shared.tiles->tiles_of_parts(),
                                 [](std::int64_t tiles) { return tiles > 0; });
  };
  shared.plane->edit({0, 0}, make_soup({5, 25000}, 1500, 1500));
  shared.plane->step(80);  // ten steps of all tiles
  CHECK(sharing() == 1);
  shared.plane->step(400);
  CHECK(sharing() == 3);
}

TEST_CASE("a part without memory in the middle of a step leaves a plane that goes on") {
  for (int fails_at = 0; fails_at < 42; fails_at += 3) {
    INFO(fails_at);
    const auto failures = std::make_shared<std::atomic<int>>(0);
    std::vector<TileShare> shares = shares_of(kLife, 3);
    shares[1].make = [=] {
      return std::make_unique<PoolTiles>(std::make_unique<FailingPool>(kLife, fails_at, failures));
    };
    check_plane_goes_on(shares, static_cast<std::uint64_t>(fails_at));
    CHECK(*failures == 1);
  }
}

TEST_CASE("parts hold more tiles together than one may, and say when all are full") {
  constexpr std::int64_t kLimit = 1 << 20;
  const Rule rule = parse_rule("B12345678/S012345678");
  std::int64_t reached[2] = {};
  for (const int parts : {1, 3}) {
    Universe universe(RuleSpec{rule, Topology::infinite, 0, 0},
                      factory_of(parts, {.worth = 1e9}, kLimit), 0, SpaceChoice::tiles);
    BitGrid cell(1, 1);
    cell.set(0, 0, true);
    universe.edit({0, 0}, cell);
    CHECK_THROWS_AS(universe.step(1'000'000), MemoryLimitError);
    const std::int64_t g = universe.generation(), side = 2 * g + 1;
    CHECK(universe.population() == side * side);
    CHECK(universe.window({-g, -g, side, side}).population() == side * side);
    reached[parts == 3] = side * side;
  }
  CHECK(static_cast<double>(reached[1]) > 2 * static_cast<double>(reached[0]));
}
