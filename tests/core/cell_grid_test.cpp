#include "core/cells/cell_grid.h"

#include <doctest/doctest.h>

#include "core/base/error.h"
#include "core/stepping/survey.h"

using namespace tessera;

TEST_CASE("a grid of live cells travels as a grid of one plane") {
  BitGrid live(70, 3);
  live.set(65, 2, true);
  live.set(3, 1, true);
  const CellGrid cells = live;
  CHECK(cells.planes() == 1);
  CHECK(cells.width() == 70);
  CHECK(cells.height() == 3);
  CHECK(cells.state(65, 2) == 1);
  CHECK(cells.state(64, 2) == 0);
  CHECK(cells.population() == 2);
  CHECK(cells.bounds() == Bounds{3, 1, 65, 2});
  CHECK(cells.plane(0) == live);
}

TEST_CASE("states are spread over planes, and every plane takes part") {
  CellGrid cells(100, 5, 3);
  CHECK_FALSE(cells.bounds().has_value());
  cells.set_state(2, 1, 4);
  cells.set_state(90, 3, 5);
  cells.set_state(91, 3, 2);
  cells.set_state(91, 3, 1);  // replaces, not adds
  CHECK(cells.state(2, 1) == 4);
  CHECK(cells.state(90, 3) == 5);
  CHECK(cells.state(91, 3) == 1);
  CHECK(cells.plane(2).population() == 2);
  CHECK(cells.population() == 3);
  CHECK(cells.bounds() == Bounds{2, 1, 91, 3});

  const CellGrid part = cells.window({80, 2, 20, 3});
  CHECK(part.planes() == 3);
  CHECK(part.state(10, 1) == 5);
  CellGrid other(100, 5, 3);
  other.paste(80, 2, part);
  CHECK(other.state(90, 3) == 5);
  CHECK(other.population() == 2);
  CHECK_THROWS_AS(other.paste(0, 0, CellGrid(4, 4)), InputError);
  CHECK_THROWS_AS(CellGrid(4, 4, 9), InputError);
  CHECK_THROWS_AS(CellGrid(4, 4, 0), InputError);
}

TEST_CASE("surveys of parts add up") {
  Survey all;
  all += Survey{3, Bounds{-5, 2, 1, 4}, 0xFFFFFFFFFFFFFFFFu};
  all += Survey{0, std::nullopt, 0};
  all += Survey{2, Bounds{7, -1, 9, 3}, 5};
  CHECK(all == Survey{5, Bounds{-5, -1, 9, 4}, 4});
}
