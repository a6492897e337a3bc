// Placing patterns in a universe.

#include <doctest/doctest.h>

#include <string>

#include "backends/drivers.h"
#include "core/base/error.h"
#include "tests/core/universes.h"
#include "tests/support/messages.h"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("patterns are placed at their position, over what is there") {
  for (const std::string spec : {"B3/S23", "B3/S23:T40,30"}) {
    CAPTURE(spec);
    Universe universe(parse_rule_spec(spec), fakes());
    universe.place(pattern_of({{0, 0, 2}, {5, 1, 1}}));
    universe.place(pattern_of({{1, 0, 2}}, Cell{-3, -4}));
    universe.place(pattern_of({{-1, 0, 3}}));
    CHECK(universe.population() == 6);
    CHECK(universe.bounds() == Bounds{-2, -4, 5, 1});
    for (const Cell& cell : {Cell{-1, 0}, {0, 0}, {1, 0}, {5, 1}, {-2, -4}, {-1, -4}}) {
      CHECK(alive(universe, cell.x, cell.y));
    }
    universe.place(Pattern{});
    CHECK(universe.population() == 6);
    // Dead cells of a pattern's box leave alone what lies under them.
    universe.place(pattern_of({{-2, -5, 1}, {6, -3, 1}}));
    CHECK(universe.population() == 8);
    CHECK(alive(universe, -2, -4));
  }
}

TEST_CASE("a bounded universe names the first cell that lies outside") {
  struct Bad {
    Pattern pattern;
    std::string cell;
  };
  const Bad bads[] = {
      {pattern_of({{-6, 0, 1}}), "(-6, 0)"},
      {pattern_of({{4, 0, 3}}), "(5, 0)"},
      {pattern_of({{-9, 0, 30}}), "(-9, 0)"},
      {pattern_of({{0, -5, 1}}), "(0, -5)"},
      {pattern_of({{0, 0, 1}, {2, 4, 1}}), "(2, 4)"},
      {pattern_of({{0, 0, 1}, {2, 1, 1}, {5, 2, 2}}), "(5, 2)"},
      {pattern_of({{0, 0, 1}, {2, 1, 1}}, Cell{4, 0}), "(6, 1)"},
  };
  Universe universe(parse_rule_spec("B3/S23:P10,8"), fakes());
  for (const Bad& bad : bads) {
    CAPTURE(bad.cell);
    const std::string what = message_of<InputError>([&] { universe.place(bad.pattern); });
    CHECK(has(what, {"live cell at", bad.cell.c_str(), "outside the universe B3/S23:P10,8",
                     "(-5, -4) to (4, 3)"}));
    CHECK(universe.population() == 0);
  }
  universe.place(pattern_of({{-5, -4, 10}, {-5, 3, 10}}));
  CHECK(universe.population() == 20);
}

TEST_CASE("a pattern may lie very far away, but two may not lie very far apart") {
  for (const std::int64_t far : {std::int64_t{1000000000000000}, -std::int64_t{1000000000000000}}) {
    Universe universe(parse_rule_spec("B3/S23"), make_factory("cpu", "word", {}), 1 << 30);
    universe.place(glider(Cell{far, -far}));
    CHECK(universe.bounds() == Bounds{far, -far, far + 2, -far + 2});
    const std::uint64_t before = universe.hash();
    const std::string what = message_of<UnsupportedError>([&] { universe.place(glider()); });
    CHECK(has(what, {"is too large"}));
    CHECK(universe.population() == 5);
    CHECK(universe.hash() == before);
    universe.step(400);
    CHECK(universe.bounds() == Bounds{far + 100, -far + 100, far + 102, -far + 102});
  }
}

TEST_CASE("positions that could overflow are refused") {
  const std::int64_t farthest = std::int64_t{1} << 61;
  for (const Cell& at : {Cell{farthest + 1, 0},
                         {0, farthest + 1},
                         {-farthest - 1, 0},
                         {INT64_MIN, 0},
                         {0, INT64_MIN},
                         {INT64_MAX, INT64_MAX}}) {
    Universe universe(parse_rule_spec("B3/S23"), fakes());
    CHECK(has(message_of<InputError>([&] { universe.place(glider(at)); }),
              {"the pattern lies at", "beyond the coordinates that are supported (2^61)"}));
    CHECK(universe.population() == 0);
  }
  BitGrid cell(1, 1);
  cell.set(0, 0, true);
  for (const Cell& at : {Cell{INT64_MAX, 0}, {0, INT64_MIN}, {(std::int64_t{1} << 62) + 1, 0}}) {
    Universe universe(parse_rule_spec("B3/S23"), fakes());
    CHECK(
        has(message_of<InputError>([&] { universe.load(cell, at); }), {"beyond the coordinates"}));
  }
}
