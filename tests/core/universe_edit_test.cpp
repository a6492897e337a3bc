// Cells drawn into a universe that is already there.

#include <doctest/doctest.h>

#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/universe.h"

using namespace tessera;

namespace {

BitGrid block(std::int64_t width, std::int64_t height) {
  BitGrid cells(width, height);
  for (std::int64_t y = 0; y < height; y++) cells.fill_run(0, y, width);
  return cells;
}

Universe universe(const char* rule) {
  return Universe(parse_rule_spec(rule), make_factory("cpu", "word", {}));
}

}  // namespace

TEST_CASE("edit replaces the cells of a rectangle and no others") {
  for (const char* rule : {"B3/S23", "B3/S23:T200,100", "B3/S23:P201,101"}) {
    INFO(rule);
    Universe life = universe(rule);
    life.edit({-30, -20}, block(70, 30));
    CHECK(life.population() == 70 * 30);
    BitGrid hole(3, 2);
    hole.set(1, 1, true);
    life.edit({10, 5}, hole);
    CHECK(life.population() == 70 * 30 - 5);
    CHECK(life.window({11, 6, 1, 1}).state(0, 0));
    CHECK_FALSE(life.window({10, 6, 1, 1}).state(0, 0));
    life.clear();
    CHECK(life.population() == 0);
  }
}

TEST_CASE("edit grows the infinite plane for live cells only") {
  Universe life = universe("B3/S23");
  life.edit({0, 0}, block(2, 2));
  const std::int64_t before = life.memory();
  life.edit({1000000, -1000000}, BitGrid(500, 500));
  CHECK(life.memory() == before);
  life.edit({3000, -2000}, block(1, 1));
  CHECK(life.memory() > 3000 / 8 * 2000);
  CHECK(life.population() == 5);
  CHECK(life.window({3000, -2000, 1, 1}).state(0, 0));
  // A rectangle that is larger than the grid replaces all of it.
  life.edit({-10000, -10000}, BitGrid(20000, 20000));
  CHECK(life.population() == 0);
}

TEST_CASE("edit refuses what a bounded universe does not contain") {
  Universe life = universe("B3/S23:T64,64");
  CHECK_THROWS_WITH_AS(
      life.edit({30, 0}, block(3, 1)),
      "a rectangle of 3x1 cells at (30, 0) does not lie inside the universe B3/S23:T64,64",
      InputError);
  CHECK(life.population() == 0);
}
