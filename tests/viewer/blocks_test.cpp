#include "apps/viewer/simulation/blocks.h"

#include <doctest/doctest.h>

#include "core/cells/soup.h"

using namespace tessera;

TEST_CASE("four turns, two flips, and a turn as flips") {
  for (const auto& [width, height] : {std::pair{1, 1}, {5, 3}, {64, 65}, {130, 7}}) {
    const CellGrid cells = make_soup({11, 32768}, width, height);
    CHECK(rotated(rotated(rotated(rotated(cells)))) == cells);
    CHECK(rotated(rotated(cells)) == flipped_x(flipped_y(cells)));
    CHECK(flipped_x(flipped_x(cells)) == cells);
    CHECK(rotated(cells).state(height - 1, 0) == cells.state(0, 0));
  }
}

TEST_CASE("cells meet those that are there in three ways") {
  BitGrid under(2, 1), cells(2, 1);
  under.set(0, 0, true);
  cells.set(0, 0, true);
  cells.set(1, 0, true);
  const auto result = [&](PasteMode mode) {
    CellGrid out = under;
    combine(out, cells, mode);
    return out.plane(0).row(0)[0];
  };
  CHECK(result(PasteMode::or_) == 3);
  CHECK(result(PasteMode::xor_) == 2);
  CHECK(result(PasteMode::replace) == 3);
}

TEST_CASE("cells of more states are turned and meet by state") {
  CellGrid under(2, 1, 2), cells(2, 1, 2);
  under.set_state(0, 0, 3);
  under.set_state(1, 0, 1);
  cells.set_state(0, 0, 2);
  const auto result = [&](PasteMode mode) {
    CellGrid out = under;
    combine(out, cells, mode);
    return 10 * out.state(0, 0) + out.state(1, 0);
  };
  CHECK(result(PasteMode::or_) == 21);
  CHECK(result(PasteMode::xor_) == 1);  // where both are alive, nothing is
  CHECK(result(PasteMode::replace) == 20);
  CHECK(rotated(under).state(0, 0) == 3);
  CHECK(rotated(under).state(0, 1) == 1);
  CHECK(flipped_x(under).state(0, 0) == 1);
  CHECK(flipped_y(under) == under);
}

TEST_CASE("overlaps of a rectangle cover what a universe has of it") {
  const RuleSpec torus = parse_rule_spec("B3/S23:T10,6"), plane = parse_rule_spec("B3/S23:P10,6");
  // Columns -5 .. 4, rows -3 .. 2.
  const std::vector<Overlap> wrapped = overlaps({3, 1, 4, 3}, torus);
  REQUIRE(wrapped.size() == 4);
  CHECK(wrapped[3].part == Rect{2, 2, 2, 1});
  CHECK(wrapped[3].at == Cell{-5, -3});
  const std::vector<Overlap> cut = overlaps({3, 1, 4, 3}, plane);
  REQUIRE(cut.size() == 1);
  CHECK(cut[0].part == Rect{0, 0, 2, 2});
  CHECK(overlaps({50, 50, 4, 3}, plane).empty());
  CHECK(overlaps({0, 0, 0, 3}, RuleSpec{}).empty());
  const std::vector<Overlap> round = overlaps({300, 1, 4, 3}, parse_rule_spec("B3/S23:T0,6"));
  REQUIRE(round.size() == 2);
  CHECK(round[1].part == Rect{0, 2, 4, 1});
  CHECK(round[1].at == Cell{300, -3});
  const std::vector<Overlap> beside = overlaps({3, 100, 4, 3}, parse_rule_spec("B3/S23:P10,0"));
  REQUIRE(beside.size() == 1);
  CHECK(beside[0].part == Rect{0, 0, 2, 3});
  CHECK(beside[0].at == Cell{3, 100});
  std::int64_t cells = 0;
  for (const Overlap& part : overlaps({-100, -100, 300, 300}, torus))
    cells += part.part.width * part.part.height;
  CHECK(cells == 60);
}
