// Universes that move between a grid and tiles, by force and by themselves: never a cell changes.

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "backends/drivers.h"
#include "core/cells/soup.h"
#include "core/spaces/activity_sample.h"
#include "core/spaces/adaptive_space.h"
#include "core/universe.h"
#include "tests/support/kernels.h"
#include "tests/tiles/universe_pair.h"

using namespace tessera;
using namespace tessera::test;

namespace {

// Every look finds that tiles pay, and tiles are crowded after a few steps.
SwitchPolicy restless() {
  SwitchPolicy policy;
  policy.enter = 1;
  policy.leave = policy.leave_plane = -1;
  policy.least_plane = 0;
  policy.patience = policy.patience_plane = -20;
  policy.first_look = 0;
  policy.interval = 5;
  policy.looking = 1e9;
  policy.move = 0;
  return policy;
}

// As usual, but nothing depends on how fast this machine is.
SwitchPolicy steady() {
  SwitchPolicy policy;
  policy.patience_plane = 32;
  policy.first_look = 0;
  policy.interval = 64;
  policy.looking = 1e9;
  policy.move = 0;
  return policy;
}

Universe adaptive(const RuleSpec& spec, const SwitchPolicy& policy, std::int64_t max_memory = 0,
                  const std::string& kernel = "simd", const std::string& backend = "cpu") {
  return Universe(
      std::make_unique<AdaptiveSpace>(spec, make_factory(backend, kernel, {}), max_memory, policy));
}

int cases() {
  const char* asked = std::getenv("TESSERA_CASES");
  return asked ? std::atoi(asked) : 1000;
}

}  // namespace

TEST_CASE("random lives that move between a grid and tiles again and again") {
  const auto make = [](const RuleSpec& spec) { return adaptive(spec, restless()); };
  for (int i = 0; i < cases(); i++) {
    const auto seed = 1000000 + static_cast<std::uint64_t>(i);
    std::string wrong;
    if (i % 3 == 0) {
      Random random(seed);
      const RuleSpec plane{random_rule(random), Topology::infinite, 0, 0};
      wrong = random_life(random, make(plane), {-60, -60, 120, 120}, 60);
    } else {
      wrong = random_bounded_life(seed, make);
    }
    CHECK_MESSAGE(wrong.empty(), wrong);
    if (!wrong.empty()) break;
  }
}

TEST_CASE("a universe that is forced to moves both ways, and counts the moves") {
  for (const char* text : {"B3/S23:T130,90", "B36/S23:P100,99", "B3/S23"}) {
    INFO(text);
    UniversePair pair(adaptive(parse_rule_spec(text), restless()), "word");
    pair.edit({-40, -40}, make_soup({5, 30000}, 80, 70));
    bool grid = false, tiles = false;
    for (int n = 0; n < 60; n++) {
      pair.step(7);
      REQUIRE(pair.difference() == "");
      const std::string kind = pair.subject().space();
      grid |= kind == "grid", tiles |= kind == "tiles";
    }
    CHECK(grid);
    CHECK(tiles);
    CHECK(pair.subject().space_switches() >= 3);
  }
}

TEST_CASE("a soup begins as a grid, settles into tiles, and comes alive as a grid") {
  for (const char* text : {"B3/S23:T400,350", "B3/S23:P400,350"}) {
    INFO(text);
    const RuleSpec spec = parse_rule_spec(text);
    UniversePair pair(adaptive(spec, steady()), "simd");
    pair.fill({3, 32768});
    pair.step(100);
    CHECK(std::string(pair.subject().space()) == "grid");
    pair.step(20000);
    REQUIRE(pair.difference() == "");
    CHECK(std::string(pair.subject().space()) == "tiles");
    CHECK(pair.subject().space_switches() == 1);
    pair.edit(spec.origin(), make_soup({4, 32768}, spec.width, spec.height));
    pair.step(600);
    REQUIRE(pair.difference() == "");
    CHECK(std::string(pair.subject().space()) == "grid");
    CHECK(pair.subject().space_switches() == 2);
    // Frame by frame, too.
    for (int n = 0; n < 300; n++) pair.step(1);
    REQUIRE(pair.difference() == "");
    pair.step(20000);
    REQUIRE(pair.difference() == "");
    CHECK(std::string(pair.subject().space()) == "tiles");
  }
}

TEST_CASE("little in a large torus is tiles from the first look on") {
  Universe universe = adaptive(parse_rule_spec("B3/S23:T2000,2000"), steady());
  CHECK(std::string(universe.space()) == "grid");
  universe.edit({0, 0}, make_soup({1, 32768}, 30, 30));
  universe.step(1);
  CHECK(std::string(universe.space()) == "tiles");
  universe.fill({1, 32768});  // everything is replaced: as at first
  CHECK(std::string(universe.space()) == "grid");
}

TEST_CASE("an exploding plane becomes a grid, and tiles again when it is cleared") {
  UniversePair pair(adaptive(parse_rule_spec("B2/S"), steady()), "simd");
  pair.edit({-700, -650}, make_soup({9, 32768}, 1500, 1300));
  CHECK(std::string(pair.subject().space()) == "tiles");
  pair.step(600);
  REQUIRE(pair.difference() == "");
  CHECK(std::string(pair.subject().space()) == "grid");
  const Rect all = pair.subject().extent();
  pair.edit({all.x, all.y}, BitGrid(all.width, all.height));
  pair.edit({all.x, all.y}, make_soup({9, 32768}, 3, 3));
  pair.edit({all.x + 5000, all.y}, make_soup({9, 32768}, 3, 3));
  pair.step(80);
  CHECK(pair.difference() == "");
  CHECK(std::string(pair.subject().space()) == "tiles");
}

TEST_CASE("crowded tiles open a device for a grid once, and stay tiles where it is not theirs") {
  int opened = 0;
  const BackendFactory factory = [&, few = make_factory("cpu", "simd", {}),
                                  many =
                                      make_factory("cpu*2", "simd", {})](const BackendSpec& spec) {
    if (spec.tiles) return few(spec);
    opened++;
    return many(spec);
  };
  SwitchPolicy policy = restless();
  policy.patience_plane = 1;
  UniversePair pair(
      Universe(std::make_unique<AdaptiveSpace>(parse_rule_spec("B3/S23"), factory, 0, policy)),
      "word");
  pair.edit({-40, -40}, make_soup({5, 30000}, 80, 70));
  for (int n = 0; n < 3; n++) {
    pair.step(400);
    REQUIRE(pair.difference() == "");
    CHECK(std::string(pair.subject().space()) == "tiles");
  }
  CHECK(opened == 1);
  pair.subject().use(factory);
  pair.edit({-40, -40}, make_soup({6, 30000}, 80, 70));
  pair.step(800);
  CHECK(opened == 2);
}

TEST_CASE("a plane of which a grid would be mostly empty stays tiles") {
  UniversePair pair(adaptive(parse_rule_spec("B3/S23"), steady()), "simd");
  const BitGrid soup = make_soup({9, 32768}, 1000, 1000);
  for (const Cell& corner : {Cell{0, 0}, Cell{2000, 0}, Cell{0, 2000}, Cell{2000, 2000}}) {
    pair.edit(corner, soup);
  }
  pair.step(600);
  REQUIRE(pair.difference() == "");
  CHECK(std::string(pair.subject().space()) == "tiles");
  CHECK(pair.subject().space_switches() == 0);
}

TEST_CASE("what tiles have no memory for is a grid") {
  for (const Kernel& kernel : kernels_here()) {
    if (!has_tiles(kernel)) continue;
    // Each part's share must hold what its device takes for nothing.
    if (kernel.backend().find_first_of("+*") != std::string::npos) continue;
    INFO(kernel.name());
    // A tile takes more on a device, and so does a grid: CUDA's some 30 MiB whatever its size, so
    // that only tiles of a large universe take more.
    const bool cpu = kernel.backend() == "cpu:0", cuda = kernel.backend().starts_with("cuda");
    const RuleSpec spec = parse_rule_spec(cuda ? "B3/S23:T10000,10000" : "B3/S23:T2400,2400");
    BackendSpec grid = grid_spec(spec);
    grid.max_memory = cpu ? 2880 << 10 : 3600 << 10;
    while (!cpu && kernel.unsupported(grid)) grid.max_memory += grid.max_memory / 32;
    const std::int64_t limit = grid.max_memory;
    UniversePair pair(adaptive(spec, steady(), limit, kernel.info.name, kernel.backend()), "simd");
    pair.edit({0, 0}, make_soup({1, 32768}, 30, 30));
    pair.step(10);
    CHECK(std::string(pair.subject().space()) == "tiles");
    pair.edit(spec.origin(), make_soup({4, 32768}, spec.width, spec.height));
    pair.step(cpu ? 100 : 10);  // an emulated device is slow
    CHECK(pair.difference() == "");
    CHECK(std::string(pair.subject().space()) == "grid");
    ran(kernel);
  }
}

TEST_CASE("a grid that is quick moves when it has stepped for as long as a move takes") {
  // Blocks, so that all windows hold live cells and none changes.
  const RuleSpec spec = parse_rule_spec("B3/S23:T400,400");
  BitGrid blocks(400, 400);
  for (std::int64_t y = 0; y < 400; y += 8) {
    for (std::int64_t x = 0; x < 400; x += 8) {
      for (const auto& [i, j] : {std::pair{0, 0}, {0, 1}, {1, 0}, {1, 1}})
        blocks.set(x + i, y + j, true);
    }
  }
  const auto space_after = [&](double quick, double move, double first_look = 0) {
    SwitchPolicy policy = steady();
    policy.quick = quick;
    policy.move = move;
    policy.first_look = first_look;
    Universe universe = adaptive(spec, policy);
    universe.edit(spec.origin(), blocks);
    universe.step(1000);
    CHECK(universe.window({-200, -200, 400, 400}) == blocks);
    return std::string(universe.space());
  };
  CHECK(space_after(0, 1e9) == "tiles");
  CHECK(space_after(1e9, 0) == "tiles");
  CHECK(space_after(1e9, 1e9) == "grid");
  // Nor does it before it has stepped for long enough to be looked at.
  CHECK(space_after(0, 0, 1e-12) == "tiles");
  CHECK(space_after(0, 0, 1e9) == "grid");
}

TEST_CASE("a grid stays one where there are no tiles") {
  for (const auto& [text, kernel] :
       {std::pair{"B3/S23:T99,99", "word"}, {"B03/S23:T99,99", "simd"}, {"B3/S23", "word"}}) {
    Universe universe = adaptive(parse_rule_spec(text), restless(), 0, kernel);
    universe.edit({0, 0}, make_soup({1, 32768}, 9, 9));
    universe.step(300);
    CHECK(std::string(universe.space()) == "grid");
    CHECK(universe.space_switches() == 0);
  }
}

TEST_CASE("a universe that moved goes on with another kernel") {
  const RuleSpec spec = parse_rule_spec("B3/S23:T130,90");
  UniversePair pair(adaptive(spec, restless()), "word");
  pair.fill({8, 32768});
  for (const char* kernel : {"word", "simd", "reference", "simd"}) {
    for (int n = 0; n < 9; n++) {
      pair.step(19);
      REQUIRE(pair.difference() == "");
    }
    pair.subject().use(make_factory("cpu", kernel, {}));
    CHECK(pair.subject().info().kernel == kernel);
  }
}

TEST_CASE("a sample tells how much lives and how much moves") {
  Universe universe(parse_rule_spec("B3/S23:T960,960"), make_factory("cpu", "word", {}), 0,
                    SpaceChoice::grid);
  const std::unique_ptr<Space> space =
      make_space(universe.spec(), make_factory("cpu", "word", {}), 0, SpaceChoice::grid);
  CHECK(ActivitySample(*space).live() == 0);
  space->edit({-480, -480}, make_soup({1, 32768}, 960, 480));
  const ActivitySample sample(*space);
  CHECK(sample.live() == doctest::Approx(0.5).epsilon(0.2));
  CHECK(sample.changed(*space) == 0);
  space->step(24);
  CHECK(sample.changed(*space) == doctest::Approx(0.5).epsilon(0.2));
}
