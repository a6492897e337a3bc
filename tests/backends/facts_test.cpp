// Every fact of tests/data/oracles.json on every kernel.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <bit>

#include "core/cells/state_hash.h"
#include "core/pattern_io.h"
#include "core/universe.h"
#include "tests/support/kernels.h"
#include "tests/support/oracles.h"
#include "tests/support/sha256.h"
#include "tests/support/tiled_kernels.h"

using namespace tessera;
using namespace tessera::test;

namespace {

// Calls body(kernel) for all that take the universe, as tiles too: the infinite plane is tiles
// already where a kernel has some.
template <class Body>
void for_each_way(const RuleSpec& spec, Body&& body) {
  for_each_kernel(grid_spec(spec), body, spec.bounded() ? kernels_and_tiles() : kernels_here());
}

// Steps to `fact` and compares. False, and a report, when that is more than the kernel's budget.
bool reach(const Kernel& kernel, Universe& universe, const Fact& fact, std::int64_t& spent,
           const std::string& name) {
  CAPTURE(fact.generation);
  const std::int64_t generations = fact.generation - universe.generation();
  // Area that is stepped at most: the box at the end and a margin; it seldom shrinks.
  std::int64_t width = universe.spec().width, height = universe.spec().height;
  if (!universe.spec().bounded()) {
    const Rect box = fact.bounds ? fact.bounds->rect() : Rect{0, 0, 1, 1};
    width = box.width + 128;
    height = box.height + 128;
  }
  spent += generations * width * height;
  if (spent > cell_budget(kernel)) {
    skipped(kernel,
            fmt::format("{} from generation {} on: too many cells for it", name, fact.generation));
    return false;
  }
  universe.step(generations);
  CHECK(universe.population() == fact.population);
  CHECK(universe.bounds() == fact.bounds);
  if (!fact.sha256.empty()) {
    CHECK(sha256_of(universe.window(universe.extent()).plane(0)) == fact.sha256);
  }
  return true;
}

void check_pattern(const Kernel& kernel, const KnownPattern& known) {
  Universe universe(known.rule, kernel.factory());
  universe.place(known.pattern);
  std::int64_t spent = 0;
  for (const Fact& fact : known.facts) {
    if (!reach(kernel, universe, fact, spent, known.name)) return;
  }
}

std::int64_t population_at(Universe& universe, std::int64_t generation) {
  universe.step(generation - universe.generation());
  return universe.population();
}

}  // namespace

TEST_CASE("patterns have the known population and bounds at every known generation") {
  REQUIRE(oracles().patterns.size() == 39);
  REQUIRE(oracles().bounded.size() == 2);
  for (const auto* list : {&oracles().patterns, &oracles().bounded}) {
    for (const KnownPattern& known : *list) {
      INFO(known.name);
      for_each_way(known.rule, [&](const Kernel& kernel) { check_pattern(kernel, known); });
    }
  }
}

TEST_CASE("still lifes, oscillators and spaceships come back after their period, in their place") {
  int claims = 0;
  for (const KnownPattern& known : oracles().patterns) {
    if (known.period == 0) continue;
    claims++;
    INFO(known.name);
    for_each_kernel(grid_spec(known.rule), [&](const Kernel& kernel) {
      Universe universe(known.rule, kernel.factory());
      universe.place(known.pattern);
      const Pattern first = universe.pattern();
      for (std::int64_t turn = 1; turn <= 3; turn++) {
        universe.step(known.period);
        const Pattern now = universe.pattern();
        CHECK(now.cells == first.cells);
        REQUIRE(now.position);
        CHECK(now.position->x == first.position->x + turn * known.displacement.x);
        CHECK(now.position->y == first.position->y + turn * known.displacement.y);
      }
    });
  }
  CHECK(claims == 21);
}

TEST_CASE("soups have the known cells at every known generation") {
  REQUIRE(oracles().soups.size() == 7);
  for (const KnownSoup& known : oracles().soups) {
    INFO(to_string(known.rule));
    for_each_way(known.rule, [&](const Kernel& kernel) {
      Universe universe(known.rule, kernel.factory());
      universe.fill(Soup::of(0.5, known.seed));
      std::int64_t spent = 0;
      for (const Fact& fact : known.facts) {
        if (!reach(kernel, universe, fact, spent, "soup under " + to_string(known.rule))) return;
      }
    });
  }
}

TEST_CASE("state hashes are the known ones") {
  REQUIRE(oracles().hashes.size() == 10);
  for (const KnownHash& known : oracles().hashes) {
    INFO(to_string(known.rule));
    CAPTURE(known.generation);
    for_each_way(known.rule, [&](const Kernel& kernel) {
      Universe universe(known.rule, kernel.factory());
      universe.fill(Soup::of(known.density, known.seed));
      universe.step(known.generation);
      CHECK(universe.population() == known.population);
      CHECK(hash_text(universe.hash()) == known.hash);
    });
  }
}

TEST_CASE("the Gosper gun gains a glider every 30 generations") {
  const KnownPattern& gun = oracles().pattern("Gosper glider gun");
  for_each_kernel(grid_spec(gun.rule), [&](const Kernel& kernel) {
    // 100 turns take about 3000 x 800^2 / 3 cell updates.
    const std::int64_t turns = cell_budget(kernel) < 1'000'000'000 ? 20 : 100;
    if (turns < 100) skipped(kernel, "turns of the Gosper gun after 20: too many cells for it");
    Universe universe(gun.rule, kernel.factory());
    universe.place(gun.pattern);
    for (std::int64_t k = 0; k <= turns; k++) CHECK(population_at(universe, 30 * k) == 36 + 5 * k);
  });
}

TEST_CASE("the HighLife replicator has 12 * 2^popcount(k) cells after 12 k generations") {
  const KnownPattern& replicator = oracles().pattern("HighLife replicator");
  for_each_kernel(grid_spec(replicator.rule), [&](const Kernel& kernel) {
    Universe universe(replicator.rule, kernel.factory());
    universe.place(replicator.pattern);
    for (unsigned k = 0; k <= 64; k++) {
      CHECK(population_at(universe, 12 * k) == 12 << std::popcount(k));
    }
  });
}

TEST_CASE("Fredkin's rules copy any pattern 8 and 9 times at powers of two") {
  const Pattern& r_pentomino = oracles().pattern("R-pentomino").pattern;
  for (const auto& each : {std::pair{"B1357/S1357", 40}, {"B1357/S02468", 45}}) {
    const auto rule = each.first;
    const auto population = each.second;
    const RuleSpec spec = parse_rule_spec(rule);
    for_each_kernel(grid_spec(spec), [&](const Kernel& kernel) {
      const int last = speed_of(kernel) == Speed::slowest ? 7 : 10;
      Universe universe(spec, kernel.factory());
      universe.place(r_pentomino);
      for (int power = 2; power <= last; power++) {
        if ((std::int64_t{1} << 3 * power) > cell_budget(kernel)) {
          skipped(kernel, "later generations of Fredkin's rules: too many cells for it");
          break;
        }
        CHECK(population_at(universe, std::int64_t{1} << power) == population);
      }
    });
  }
}

TEST_CASE("Day & Night treats the complement alike") {
  const RuleSpec spec = parse_rule_spec("Day & Night:T256,256");
  const BitGrid soup = make_soup(Soup::of(0.5, 3), 256, 256);
  BitGrid complement = soup;
  for (std::uint64_t& word : complement.words()) word = ~word;
  for_each_way(spec, [&](const Kernel& kernel) {
    const auto day = kernel.create(grid_spec(spec)), night = kernel.create(grid_spec(spec));
    day->upload(soup);
    night->upload(complement);
    for (int generation = 0; generation < 100; generation += 10) {
      day->step(10);
      night->step(10);
      BitGrid flipped = night->download().plane(0);
      for (std::uint64_t& word : flipped.words()) word = ~word;
      CHECK(day->download() == flipped);
    }
  });
}

TEST_CASE("patterns of infinite growth gain a constant number of cells every 288 generations") {
  // 20,000 generations of a box that grows to some thousands of cells a side.
  constexpr std::int64_t kCells = 500'000'000'000;
  const std::string five_by_five = "3obo$o$3b2o$b2obo$obobo!";
  const struct {
    Pattern pattern;
    std::int64_t gain;
  } known[] = {
      {oracles().pattern("Block-laying switch engine (10-cell infinite growth)").pattern, 32},
      {parse_pattern(five_by_five, "five-by-five.rle"), 32},
      {oracles().pattern("One-cell-high infinite growth (39x1)").pattern, 64},
  };
  for (const Kernel& kernel : kernels_here()) {
    INFO(kernel.name());
    if (cell_budget(kernel) < kCells) {
      skipped(kernel, "infinite growth to generation 20864: too many cells for it");
      continue;
    }
    for (const auto& [pattern, gain] : known) {
      Universe universe(RuleSpec{}, kernel.factory());
      universe.place(pattern);
      const std::int64_t before = population_at(universe, 20000);
      const std::int64_t first = population_at(universe, 20288);
      const std::int64_t second = population_at(universe, 20576);
      CHECK(first - before == gain);
      CHECK(second - first == gain);
      CHECK(population_at(universe, 20864) - second == gain);
      ran(kernel);
    }
  }
}
