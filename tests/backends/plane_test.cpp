// The infinite plane: growing grids, far flights, explosions, and changes of kernel on the way.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/cells/soup.h"
#include "core/cells/state_hash.h"
#include "core/universe.h"
#include "tests/support/kernels.h"
#include "tests/support/messages.h"
#include "tests/support/oracles.h"

using namespace tessera;
using namespace tessera::test;

namespace {

// A spec of the plane, small, for asking whether a kernel takes a rule at all.
BackendSpec any_plane(const Rule& rule) { return grid_spec({rule, Topology::infinite, 0, 0}); }

RuleSpec plane_of(const std::string& rule) { return parse_rule_spec(rule); }

}  // namespace

TEST_CASE("the plane agrees with a bounded plane that nothing leaves") {
  struct Run {
    std::string rule;
    std::int64_t size, generations;
  };
  // From still to explosive; B1 reaches the edge of its box in every generation.
  const Run runs[] = {{"B3/S23", 100, 300},
                      {"B36/S23", 60, 250},
                      {"B2/S", 20, 150},
                      {"B1/S1", 3, 120},
                      {"B1357/S1357", 9, 90},
                      {"B3/S012345678", 50, 150},
                      {"B12345678/S012345678", 1, 100},
                      {"B3678/S34678", 80, 60},
                      {"B3/S", 70, 65}};
  for (const Run& run : runs) {
    INFO(run.rule);
    const RuleSpec infinite = plane_of(run.rule);
    const std::int64_t side = run.size + 2 * run.generations + 2;
    RuleSpec bounded = infinite;
    bounded.topology = Topology::plane;
    bounded.width = bounded.height = side;
    const BitGrid soup = make_soup(Soup::of(run.size == 1 ? 1 : 0.45, 31), run.size, run.size);
    for_each_kernel(grid_spec(bounded), [&](const Kernel& kernel) {
      if (kernel.unsupported(any_plane(infinite.rule))) return;  // told where planes are stepped
      Universe grown(infinite, kernel.factory());
      grown.load(soup, {-run.size / 2, -run.size / 2});
      Universe roomy(bounded, kernel.factory());
      roomy.edit({-run.size / 2, -run.size / 2}, soup);
      // Uneven steps, so that the grid grows in the middle of some.
      for (std::int64_t left = run.generations, step = 1; left > 0; step = step * 2 + 1) {
        const std::int64_t now = std::min(left, step);
        grown.step(now);
        roomy.step(now);
        left -= now;
        REQUIRE(grown.window({-(side / 2), -(side / 2), side, side}) ==
                roomy.window({-(side / 2), -(side / 2), side, side}));
        REQUIRE(grown.population() == roomy.population());
        REQUIRE(grown.bounds() == roomy.bounds());
      }
    });
  }
}

TEST_CASE("spaceships fly far and stay what they are") {
  for (const std::string name : {"Glider", "LWSS", "Copperhead"}) {
    INFO(name);
    const KnownPattern& ship = oracles().pattern(name);
    for_each_kernel(any_plane(ship.rule.rule), [&](const Kernel& kernel) {
      // A grid of about 200 x 150 cells.
      std::int64_t turns =
          std::min<std::int64_t>(100'000, cell_budget(kernel) / 30'000) / ship.period;
      if (turns * ship.period < 100'000 - ship.period) {
        skipped(kernel, fmt::format("flights beyond generation {}: too many cells for it",
                                    turns * ship.period));
      }
      Universe universe(ship.rule, kernel.factory());
      universe.place(ship.pattern);
      const Pattern start = universe.pattern();
      universe.step(turns * ship.period);
      const Pattern end = universe.pattern();
      CHECK(end.cells == start.cells);
      REQUIRE(end.position);
      CHECK(*end.position == Cell{start.position->x + turns * ship.displacement.x,
                                  start.position->y + turns * ship.displacement.y});
      // The grid moved along and did not grow, and tiles that are left behind go sooner or later.
      CHECK(universe.memory() <= (has_tiles(kernel) ? 4'000'000 : 256 / 8 * 192));
    });
  }
}

TEST_CASE("a pattern evolves the same anywhere on the plane") {
  const KnownPattern& pentomino = oracles().pattern("R-pentomino");
  constexpr std::int64_t kFar = 1'000'000'000'000'000;
  for (const Cell& at : {Cell{0, 0}, {31, -17}, {-64, 64}, {kFar, -kFar}, {-kFar - 1, kFar + 63}}) {
    CAPTURE(at.x);
    CAPTURE(at.y);
    for_each_kernel(any_plane(kLife), [&](const Kernel& kernel) {
      Universe universe(RuleSpec{}, kernel.factory());
      Pattern moved = pentomino.pattern;
      moved.position = at;
      universe.place(moved);
      for (const Fact& fact : pentomino.facts) {
        if (fact.generation > 200) break;
        universe.step(fact.generation - universe.generation());
        CHECK(universe.population() == fact.population);
        CHECK(universe.bounds() == fact.bounds->shifted(at.x, at.y));
      }
    });
  }
}

TEST_CASE("the hash depends on the cells alone, not on how the grid grew") {
  const KnownPattern& acorn = oracles().pattern("Acorn");
  constexpr std::int64_t kGenerations = 500;
  for_each_kernel(any_plane(kLife), [&](const Kernel& kernel) {
    std::vector<std::uint64_t> hashes;
    for (const std::int64_t stride :
         {std::int64_t{1}, std::int64_t{3}, std::int64_t{64}, kGenerations}) {
      Universe universe(RuleSpec{}, kernel.factory());
      universe.place(acorn.pattern);
      while (universe.generation() < kGenerations) {
        universe.step(std::min(stride, kGenerations - universe.generation()));
      }
      hashes.push_back(universe.hash());
      // Loaded afresh, with dead rows and columns around that move the grid.
      const Bounds box = *universe.bounds();
      Universe again(RuleSpec{}, kernel.factory());
      const Rect around{box.xmin - 70, box.ymin - 3, box.xmax - box.xmin + 100,
                        box.ymax - box.ymin + 9};
      again.load(universe.window(around), {around.x, around.y});
      hashes.push_back(again.hash());
    }
    for (const std::uint64_t hash : hashes) CHECK(hash_text(hash) == hash_text(hashes[0]));
  });
}

namespace {

void explode(const Kernel& kernel, SpaceChoice space, std::int64_t limit,
             const std::function<bool(const std::string&, std::int64_t)>& said) {
  Universe universe(plane_of("B12345678/S012345678"), kernel.factory(), limit, space);
  Pattern cell;
  cell.cells.append(0, 0, 1);
  universe.place(cell);
  const std::string what = message_of<MemoryLimitError>([&] { universe.step(1'000'000); });
  const std::int64_t g = universe.generation(), side = 2 * g + 1;
  INFO(what);
  CHECK(said(what, g));
  CHECK(side >= 256);
  CHECK(universe.population() == side * side);
  CHECK(universe.bounds() == Bounds{-g, -g, g, g});
  // It can be asked, written, and moved to a roomier backend, where it goes on.
  CHECK(universe.pattern().cells.population() == side * side);
  universe.use([&](const BackendSpec& wanted) {
    BackendSpec roomy = wanted;
    roomy.max_memory = 0;
    return kernel.create(roomy);
  });
  universe.step(10);
  CHECK(universe.bounds() == Bounds{-g - 10, -g - 10, g + 10, g + 10});
}

}  // namespace

TEST_CASE("an explosion stops at the memory limit in a valid state") {
  const RuleSpec spec = plane_of("B12345678/S012345678");
  for (const Kernel& kernel : kernels_here()) {
    if (!supports(kernel, any_plane(spec.rule))) continue;
    INFO(kernel.name());
    // Enough for a few hundred generations, whatever a kernel takes for a small grid.
    BackendSpec room = any_plane(spec.rule);
    room.width = room.height = 400;
    std::int64_t limit = 1 << 16;
    const auto too_small = [&] {
      room.max_memory = limit;
      return kernel.unsupported(room).has_value();
    };
    while (too_small()) limit += limit / 4;
    explode(kernel, SpaceChoice::grid, limit, [](const std::string& what, std::int64_t g) {
      const std::int64_t side = 2 * g + 1;
      return has(
          what,
          {fmt::format("generation {}: the pattern covers {}x{} cells", g, side, side).c_str(),
           "cannot grow any further"});
    });
    if (has_tiles(kernel)) {
      explode(kernel, SpaceChoice::tiles, 4 << 20, [](const std::string& what, std::int64_t g) {
        return has(what, {fmt::format("generation {}: the pattern takes ", g).c_str(),
                          "and 4 MiB is the limit"});
      });
    }
    ran(kernel);
  }
}

TEST_CASE("the kernel can change at any generation") {
  const KnownPattern& pentomino = oracles().pattern("R-pentomino");
  for (const RuleSpec& spec :
       {RuleSpec{}, plane_of("B3/S23:T600,600"), plane_of("B3/S23:P599,601")}) {
    INFO(to_string(spec));
    Universe changing(spec, reference().factory());
    changing.place(pentomino.pattern);
    Universe steady(spec, make_factory("cpu", "word", {}));
    steady.place(pentomino.pattern);
    std::int64_t step = 1;
    for (int turn = 0; turn < 4; turn++) {
      for (const Kernel& kernel : kernels_here()) {
        INFO(kernel.name());
        if (!supports(kernel, grid_spec(spec))) continue;
        const std::uint64_t before = changing.hash();
        changing.use(kernel.factory());
        CHECK(changing.info().kernel == kernel.info.name);
        CHECK(hash_text(changing.hash()) == hash_text(before));
        changing.step(step);
        steady.step(step);
        CHECK(changing.generation() == steady.generation());
        CHECK(hash_text(changing.hash()) == hash_text(steady.hash()));
        CHECK(changing.bounds() == steady.bounds());
        step = step % 23 + 4;
        ran(kernel);
      }
    }
  }
}
