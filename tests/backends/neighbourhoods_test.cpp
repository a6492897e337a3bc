// All 512 neighbourhoods of a cell in every bit position, under a thousand rules.

#include <doctest/doctest.h>

#include <array>
#include <bitset>
#include <random>
#include <vector>

#include "core/cells/bit_grid.h"
#include "core/rules/rule.h"
#include "tests/support/kernels.h"
#include "tests/support/tiled_kernels.h"

using namespace tessera;
using namespace tessera::test;

namespace {

// Nine words and three bits; a multiple of three, so that blocks of three columns go aaaaround the
// torus.
constexpr std::int64_t kWidth = 579;
constexpr std::int64_t kHeight = 3 * 3 * 512;

// Blocks of 3x3 cells side by side, all 512 of them below each other in every column of blocks,
// three times with the blocks moved by one column, so that every column has each neighbourhood
// around one of its cells.
BitGrid all_neighbourhoods() {
  BitGrid grid(kWidth, kHeight);
  for (std::int64_t shift = 0; shift < 3; shift++) {
    for (std::int64_t column = 0; column < kWidth / 3; column++) {
      for (std::int64_t n = 0; n < 512; n++) {
        // Another order in every column, so that neighbouring bits differ.
        const std::int64_t block = (n * 5 + column * 37 + shift * 11) % 512;
        for (int bit = 0; bit < 9; bit++) {
          const std::int64_t x = (3 * column + shift + bit % 3) % kWidth,
                             y = shift * 1536 + 3 * n + bit / 3;
          grid.set(x, y, block >> bit & 1);
        }
      }
    }
  }
  return grid;
}

// For every state and number of live neighbours the cells that have them, and every cell's pattern.
struct Counted {
  std::array<std::array<BitGrid, 9>, 2> cells;
  std::vector<std::uint16_t> patterns{};
};

Counted count(const BitGrid& grid, Boundary boundary) {
  const BitGrid none(kWidth, kHeight);
  Counted counted{{{{none, none, none, none, none, none, none, none, none},
                    {none, none, none, none, none, none, none, none, none}}}};
  std::vector<std::bitset<512>> seen(kWidth);
  for (std::int64_t y = 0; y < kHeight; y++) {
    for (std::int64_t x = 0; x < kWidth; x++) {
      unsigned index = 0, neighbours = 0;
      for (int bit = 0; bit < 9; bit++) {
        std::int64_t nx = x + bit % 3 - 1, ny = y + bit / 3 - 1;
        if (boundary == Boundary::torus) {
          nx = (nx + kWidth) % kWidth;
          ny = (ny + kHeight) % kHeight;
        } else if (nx < 0 || ny < 0 || nx >= kWidth || ny >= kHeight) {
          continue;
        }
        if (!grid.get(nx, ny)) continue;
        index |= 256u >> bit;
        if (bit != 4) neighbours++;
      }
      seen[static_cast<std::size_t>(x)].set(index);
      counted.cells[grid.get(x, y)][neighbours].set(x, y, true);
      counted.patterns.push_back(static_cast<std::uint16_t>(index));
    }
  }
  for (std::int64_t x = 0; x < kWidth; x++) {
    // The dead surroundings of a plane take some neighbourhoods away from its outermost columns.
    const bool edge = boundary == Boundary::plane && (x == 0 || x == kWidth - 1);
    if (!edge) REQUIRE(seen[static_cast<std::size_t>(x)].all());
  }
  return counted;
}

BitGrid expected(const Counted& counted, const Rule& rule) {
  BitGrid next(kWidth, kHeight);
  if (!rule.outer_totalistic()) {
    for (std::size_t i = 0; i < counted.patterns.size(); i++) {
      const auto at = static_cast<std::int64_t>(i);
      if (rule.table.at(counted.patterns[i])) next.set(at % kWidth, at / kWidth, true);
    }
    return next;
  }
  for (int alive = 0; alive < 2; alive++) {
    for (int n = 0; n <= 8; n++) {
      if (!rule.next(alive, n)) continue;
      const auto from = counted.cells[alive][n].words();
      for (std::size_t i = 0; i < from.size(); i++) next.words()[i] |= from[i];
    }
  }
  return next;
}

// Life, all named rules of two states and eight neighbours (states_test and ranges_test have the
// others), each single count, random maps, then random counts.
std::vector<Rule> rules_to_try(std::int64_t number) {
  std::vector<Rule> rules;
  for (const NamedRule& named : named_rules())
    if (named.rule.states() == 2 && !named.rule.range) rules.push_back(named.rule);
  for (int n = 0; n <= 8; n++) {
    const auto one = static_cast<std::uint16_t>(1 << n);
    rules.push_back({one, 0});
    rules.push_back({0, one});
  }
  std::mt19937_64 random(512);
  for (int i = 0; i < 10; i++) {
    Rule map{0, 0, RuleFamily::map, {}};
    for (std::uint64_t& word : map.table.words) word = random();
    rules.push_back(map);
  }
  while (static_cast<std::int64_t>(rules.size()) < number) {
    rules.push_back(
        {static_cast<std::uint16_t>(random() & 511), static_cast<std::uint16_t>(random() & 511)});
  }
  rules.resize(static_cast<std::size_t>(number));
  return rules;
}

// Slow kernels take one rule of this many. An emulated device compiles its kernels for every rule.
std::int64_t stride(const Kernel& kernel) {
  if (kernel.device.software) return 100;
  return speed_of(kernel) == Speed::slowest ? 25 : 1;
}

}  // namespace

TEST_CASE("every neighbourhood in every column becomes what the rule says") {
  const BitGrid grid = all_neighbourhoods();
  const Counted torus = count(grid, Boundary::torus), plane = count(grid, Boundary::plane);
  const std::vector<Rule> rules = rules_to_try(case_count(1000));
  for (std::size_t i = 0; i < rules.size(); i++) {
    BackendSpec spec;
    spec.width = kWidth;
    spec.height = kHeight;
    spec.rule = rules[i];
    // Both kinds of edge for Life; they take turns for the others.
    for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
      spec.boundary = boundary;
      if (i != 0 && (i % 2 == 0) != (boundary == Boundary::torus)) continue;
      const BitGrid next = expected(boundary == Boundary::torus ? torus : plane, rules[i]);
      for (const Kernel& kernel : kernels_and_tiles()) {
        if (static_cast<std::int64_t>(i) % stride(kernel) != 0) {
          skipped(kernel, "a slow kernel takes one rule of 25, an emulated device one of 100");
          continue;
        }
        if (!supports(kernel, spec)) continue;
        const auto backend = kernel.create(spec);
        backend->upload(grid);
        backend->step(1);
        if (backend->download() != next) {
          FAIL_CHECK(kernel.name()
                     << " steps wrongly under " << to_string(rules[i])
                     << (boundary == Boundary::torus ? " on a torus" : " on a plane"));
          return;
        }
        ran(kernel);
      }
    }
  }
}
