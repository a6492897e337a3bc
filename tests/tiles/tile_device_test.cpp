// What devices that step tiles do at the limits of memory, and when tiles move to one by
// themselves.

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/distributed/shared_tiles.h"
#include "backends/distributed/shared_tiles_backend.h"
#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/cells/soup.h"
#include "core/pattern_io.h"
#include "core/spaces/fixed_space.h"
#include "core/spaces/tiled_space.h"
#include "core/tiles/tile_move.h"
#include "core/universe.h"
#include "tests/support/kernels.h"
#include "tests/support/messages.h"
#include "tests/tiles/universe_pair.h"

using namespace tessera;
using namespace tessera::test;

namespace {

// Calls body(kernel) for every kernel that steps tiles, on a device or not.
void for_all_with_tiles(const std::function<void(const Kernel&)>& body) {
  for (const Kernel& kernel : kernels_here()) {
    if (!has_tiles(kernel)) continue;
    INFO(kernel.name());
    body(kernel);
    ran(kernel);
  }
}

// Offers the CPU for a few tiles, and `kernel` for many.
BackendFactory few_or_many(const Kernel& kernel) {
  return [kernel, few = make_factory("cpu", "auto", {})](const BackendSpec& spec) {
    return spec.many_tiles ? kernel.create(spec) : few(spec);
  };
}

// Two parts of a kernel's device, which share tiles after a few steps; one steps them all before,
// and again when little moves.
BackendFactory late_sharing(const Kernel& kernel) {
  constexpr SharePolicy kLate{.worth = 6, .dividing = 2, .uneven = 1, .interval = 1};
  return [=](const BackendSpec& spec) {
    const BackendInfo info{kernel.driver->name(), "parts", kernel.info.name, {}};
    return std::make_unique<SharedTilesBackend>(spec, info, [=] {
      const TileShare share{[=] { return tiles_of(*kernel.create(spec)); }, 1};
      return std::make_unique<SharedTiles>(std::vector{share, share}, kLate);
    });
  };
}

// Whatever a step took, it would have taken nothing elsewhere: tiles stay nowhere for long, however
// fast this machine is.
constexpr MoveCosts kFree{0, 0, 0, 0, 0, 0};

TileMove::Passed at_home(double steps) {
  return {false, false, steps, steps * 2.5e-3, steps * 10000, 10000};
}

}  // namespace

TEST_CASE("tiles that have come to the limit of memory can be read, and stay there") {
  for_all_with_tiles([](const Kernel& kernel) {
    Universe universe(parse_rule_spec("B12345678/S012345678"), kernel.factory(), 2 << 20,
                      SpaceChoice::tiles);
    BitGrid cell(1, 1);
    cell.set(0, 0, true);
    universe.edit({0, 0}, cell);
    const std::string what = message_of<MemoryLimitError>([&] { universe.step(1'000'000); });
    CHECK(has(what, {"and 2 MiB is the limit"}));
    for (const std::int64_t generations : {0, 1, 8, 100}) {
      try {
        universe.step(generations);  // it may, within a step that was taken
      } catch (const MemoryLimitError&) {
      }
      const std::int64_t g = universe.generation(), side = 2 * g + 1;
      CHECK(g >= 128);
      CHECK(universe.population() == side * side);
      CHECK(universe.bounds() == Bounds{-g, -g, g, g});
      CHECK(universe.window({-g, -g, side, side}).population() == side * side);
      // What is drawn where there is no more room is refused, and nothing changes.
      CHECK_THROWS_AS(universe.edit({100000, 0}, make_soup({1, 32768}, 3000, 3000)), InputError);
      CHECK(universe.population() == side * side);
    }
  });
}

TEST_CASE("nothing of a plane that was cleared lives on in the next one") {
  for_all_with_tiles([](const Kernel& kernel) {
    for (std::uint64_t seed = 1; seed <= 3; seed++) {
      INFO(seed);
      UniversePair pair(Universe(RuleSpec{}, kernel.factory(), 0, SpaceChoice::tiles), "simd");
      pair.edit({0, 0}, make_soup({seed, 32768}, 500, 300));
      pair.step(40);
      for (int n = 0; n < 4; n++) {
        pair.clear();
        // Each look between two slots, and what is drawn after it, begins another ring.
        for (std::int64_t i = 0; i < 5; i++) {
          pair.edit({i * 90 - 200, i * 70}, make_soup({seed + 10, 32768}, 60, 60));
          pair.step(3);
          REQUIRE(pair.difference() == "");
        }
      }
    }
  });
}

TEST_CASE("a spaceship leaves no memory behind it") {
  for_all_with_tiles([](const Kernel& kernel) {
    Universe universe(RuleSpec{}, kernel.factory(), 0, SpaceChoice::tiles);
    universe.place(parse_pattern("bo2bo$o$o3bo$4o!", "lwss.rle"));
    universe.step(3000);
    CHECK(universe.population() == 9);
    CHECK(universe.memory() <= 4 * 512);
    universe.place(parse_pattern("2o$2o!", "block.rle"));
    CHECK(universe.memory() <= 8 * 512);
    CHECK(universe.memory() > 512);
  });
}

TEST_CASE("tiles that move between the CPU and a device by themselves lose no cell") {
  for_all_with_tiles([](const Kernel& kernel) {
    if (kernel.backend() == "cpu:0") return;
    for (const char* text : {"B3/S23", "B3/S23:T130,90", "B36/S23:P100,99", "345/2/4:T130,90",
                             "/2/3:P100,99", "B3/S23|B36/S23:T130,90"}) {
      INFO(text);
      const RuleSpec spec = parse_rule_spec(text);
      const bool program = spec.rule.states() > 2 || spec.odd_rule;
      BackendSpec tiles = grid_spec(spec);
      tiles.tiles = tiles.many_tiles = true;
      if (!supports(kernel, tiles)) continue;
      UniversePair pair(
          Universe(std::make_unique<TiledSpace>(spec, few_or_many(kernel), 0, false, kFree)),
          program ? "gates" : "word");
      const auto states = static_cast<std::uint16_t>(spec.rule.states());
      pair.edit({-40, -40}, make_soup_cells({5, 30000, states}, 80, 70, spec.rule.planes()));
      bool here = false, there = false;
      for (int n = 0; n < 40; n++) {
        pair.step(n % 4 == 0 ? 100 : 7);
        REQUIRE(pair.difference() == "");
        (pair.subject().info().backend == "cpu" ? here : there) = true;
      }
      CHECK(here);
      CHECK(there);
    }
  });
}

TEST_CASE("random lives of tori are those of a grid when tiles of one part become those of two") {
  for_all_with_tiles([](const Kernel& kernel) {
    if (!is_single(kernel)) return;
    const std::int64_t cases = case_count(speed_of(kernel) == Speed::fast ? 200 : 20);
    for (std::int64_t i = 0; i < cases; i++) {
      Random random(static_cast<std::uint64_t>(i));
      const Rule rule = random_rule(random, kernel.device.software ? Variety::few : Variety::any);
      const RuleSpec spec{rule, Topology::torus, draw(random, 100, 400), draw(random, 100, 400)};
      const Rect all{spec.origin().x, spec.origin().y, spec.width, spec.height};
      Universe subject(spec, late_sharing(kernel), 0, SpaceChoice::tiles);
      const std::string wrong = random_life(random, std::move(subject), all, 300);
      REQUIRE_MESSAGE(wrong.empty(), "seed " << i << " " << wrong);
    }
  });
}

TEST_CASE("a pentadecathlon costs nothing to step after a while, where there is memory for it") {
  for_all_with_tiles([](const Kernel& kernel) {
    for (const char* text : {"B3/S23", "B3/S23:T200,150"}) {
      INFO(text);
      for (const bool shared : {false, true}) {
        if (shared && !is_single(kernel)) continue;
        INFO("shared " << shared);
        const bool device = shared || kernel.backend() != "cpu:0";
        const BackendFactory factory = shared ? late_sharing(kernel) : kernel.factory();
        UniversePair pair(Universe(parse_rule_spec(text), factory, 0, SpaceChoice::tiles), "word");
        const auto draw_all = [&] {
          pair.place("10o!", {20, 30});
          pair.place("3o!", {70, 60});
          pair.place("3o!", {-90, -50});
        };
        draw_all();
        pair.step(7000);
        REQUIRE(pair.difference() == "");
        CHECK(pair.subject().cells_per_generation() == 0);
        // What is drawn then is stepped as ever, and so is all that follows on an empty plane.
        pair.edit({60, 20}, make_soup({3, 32768}, 30, 40));
        pair.step(333);
        REQUIRE(pair.difference() == "");
        pair.clear();
        draw_all();
        pair.step(100);
        REQUIRE(pair.difference() == "");
        if (device) CHECK(pair.subject().cells_per_generation() > 0);
      }
    }
    if (kernel.backend() == "cpu:0") return;
    // Enough for all of it in a long ring, too, but not for as much again.
    constexpr std::int64_t kSide = 30 * kTileSide, kLittle = 16 << 20;
    const RuleSpec torus{Rule{}, Topology::torus, kSide, kSide};
    Universe poor(torus, kernel.factory(), kLittle, SpaceChoice::tiles);
    BitGrid cells(kSide, kSide);
    for (std::int64_t i = 0; i < kSide * kSide; i++) {
      const std::int64_t x = i % kSide % kTileSide, y = i / kSide % kTileSide;
      if (x < 2 && y < 2) cells.set(i % kSide, i / kSide, true);
    }
    for (std::int64_t x = 20; x < 30; x++) cells.set(x, 24, true);
    poor.edit({-kSide / 2, -kSide / 2}, cells);
    poor.step(7000);
    CHECK(poor.cells_per_generation() > 0);
  });
}

TEST_CASE("tiles take the cells of a grid on their device") {
  for_all_with_tiles([](const Kernel& kernel) {
    if (!is_single(kernel)) return;
    // An emulated device has grids of these sizes; others compile some for each size.
    const bool emulated = kernel.device.name == "emulated";
    const std::int64_t cases = emulated ? 6 : 30;
    for (std::int64_t i = 0; i < cases; i++) {
      Random random(static_cast<std::uint64_t>(i));
      RuleSpec spec = random_bounded(random, Variety::few);
      if (emulated) {
        spec.width = i < 2 ? 84 * kTileSide : draw(random, 3960, 4240);
        spec.height = i % 2 ? 288 : 300;
      }
      INFO("case " << i << ", " << to_string(spec));
      FixedSpace grid(spec, kernel.factory(), 0);
      grid.fill({static_cast<std::uint64_t>(i), 32768});
      grid.step(draw(random, 0, 20));
      TiledSpace tiles(spec, kernel.factory(), 0, true);
      if (random() % 2) {
        tiles.fill({7, 20000});
        tiles.step(draw(random, 0, 20));
      }
      const bool taken = tiles.take_there(grid);
      CHECK(taken == (kernel.driver->name() != std::string("cpu")));
      if (!taken) return;
      for (const std::int64_t more : {0, 1, 8, 24, 31}) {
        grid.step(more);
        tiles.step(more);
        const Rect all = grid.extent();
        REQUIRE(tiles.generation() == grid.generation());
        const SurveyParts some{.population = true, .bounds = true};  // nothing has come home yet
        REQUIRE(tiles.survey(some) == grid.survey(some));
        REQUIRE(tiles.read(all) == grid.read(all));
        REQUIRE(tiles.survey(kWholeSurvey) == grid.survey(kWholeSurvey));
      }
    }
  });
}

TEST_CASE("tiles take the cells of a grid that goes there in several pieces") {
  for_all_with_tiles([](const Kernel& kernel) {
    if (!is_single(kernel) || kernel.device.name == "emulated") return;
    const RuleSpec spec = parse_rule_spec("B3/S23:T16400,16384");
    FixedSpace grid(spec, kernel.factory(), 0);
    TiledSpace tiles(spec, kernel.factory(), 0, true);
    const bool taken = tiles.take_there(grid);
    CHECK(taken == (kernel.driver->name() != std::string("cpu")));
    if (!taken) return;
    grid.fill({1, 20000});
    REQUIRE(tiles.take_there(grid));
    const SurveyParts parts{.population = true, .bounds = true};
    CHECK(tiles.survey(parts) == grid.survey(parts));
    const Rect seam{-8200, 8080, 16400, 112};
    CHECK(tiles.read(seam) == grid.read(seam));
  });
}

TEST_CASE("tiles that parts have given up are counted by nobody") {
  for_all_with_tiles([](const Kernel& kernel) {
    if (!is_single(kernel)) return;
    UniversePair pair(Universe(RuleSpec{}, late_sharing(kernel), 0, SpaceChoice::tiles), "word");
    pair.place("2o$2o!", {10, 10});
    for (std::int64_t n = 0; n < 20; n++) pair.place("bo2bo$o$o3bo$4o!", {300, 100 * n});
    for (int n = 0; n < 3; n++) {
      REQUIRE(pair.difference() == "");
      pair.step(1600);
    }
    CHECK(pair.difference() == "");
  });
}

TEST_CASE("tiles move to a device when what is left to do repays it, and not before") {
  constexpr double kMany = 1e6, kFew = 100;
  TileMove move;
  move.add(at_home(100));  // a quarter of a second
  CHECK_FALSE(move.due(kMany));
  move.add(at_home(150));  // the price of a device, and more
  CHECK(move.due(kMany));
  CHECK_FALSE(move.due(kFew));
  move.add(at_home(250));
  CHECK(move.due(kFew));  // as much as was done may follow
  move.done();
  CHECK_FALSE(move.due(kMany));
  // A device that is slower is left, though not at once.
  TileMove::Passed slow{true, true, 100, 7e-4, 100, 100};
  for (int n = 0; n < 10; n++) move.add(slow);
  CHECK_FALSE(move.due(kMany));
  for (int n = 0; n < 10; n++) move.add(slow);
  CHECK(move.due(kMany));
  // One that is faster is not.
  move.done();
  TileMove::Passed fast{true, true, 100, 7e-4, 1e6, 10000};
  for (int n = 0; n < 1000; n++) move.add(fast);
  CHECK_FALSE(move.due(kMany));
  // A few tiles are never worth one.
  TileMove few;
  few.add({false, false, 1e9, 1e9 * 3e-6, 1e9 * 12, 100});
  CHECK_FALSE(few.due(kMany));
}

TEST_CASE("tiles do not go back to a device that has shown itself slow") {
  constexpr double kMany = 1e6;
  const TileMove::Passed home{false, true, 100, 100 * 2.5e-3, 100 * 10000, 10000};
  for (const bool slow : {false, true}) {
    TileMove move;
    for (int n = 0; n < 10; n++) move.add(home);
    REQUIRE(move.due(kMany));
    move.done();
    // A thousand times what was expected, or just that.
    const double expected = 1000 * 7e-6 + 1e7 * 1.2e-9;
    move.add({true, true, 1000, expected * (slow ? 1000 : 1), 1e7, 10000});
    CHECK(move.due(kMany) == slow);  // home again
    move.done();
    for (int n = 0; n < 1000; n++) move.add(home);
    CHECK(move.due(kMany) == !slow);
  }
}
