#include "apps/viewer/simulation/blocks.h"

#include <doctest/doctest.h>

#include "core/cells/soup.h"

using namespace tessera;

TEST_CASE("four turns, two flips, and a turn as flips") {
  for (const auto& [width, height] : {std::pair{1, 1}, {5, 3}, {64, 65}, {130, 7}}) {
    const BitGrid cells = make_soup({11, 32768}, width, height);
    CHECK(rotated(rotated(rotated(rotated(cells)))) == cells);
    CHECK(rotated(rotated(cells)) == flipped_x(flipped_y(cells)));
    CHECK(flipped_x(flipped_x(cells)) == cells);
    CHECK(rotated(cells).get(height - 1, 0) == cells.get(0, 0));
  }
}

TEST_CASE("cells meet those that are there in three ways") {
  BitGrid under(2, 1), cells(2, 1);
  under.set(0, 0, true);
  cells.set(0, 0, true);
  cells.set(1, 0, true);
  const auto result = [&](PasteMode mode) {
    BitGrid out = under;
    combine(out, cells, mode);
    return out.row(0)[0];
  };
  CHECK(result(PasteMode::or_) == 3);
  CHECK(result(PasteMode::xor_) == 2);
  CHECK(result(PasteMode::replace) == 3);
}

TEST_CASE("pieces of a rectangle cover what a universe has of it") {
  const RuleSpec torus = parse_rule_spec("B3/S23:T10,6"), plane = parse_rule_spec("B3/S23:P10,6");
  // Columns -5 .. 4, rows -3 .. 2.
  const std::vector<Piece> wrapped = pieces_of({3, 1, 4, 3}, torus);
  REQUIRE(wrapped.size() == 4);
  CHECK(wrapped[3].part == Rect{2, 2, 2, 1});
  CHECK(wrapped[3].at == Cell{-5, -3});
  const std::vector<Piece> cut = pieces_of({3, 1, 4, 3}, plane);
  REQUIRE(cut.size() == 1);
  CHECK(cut[0].part == Rect{0, 0, 2, 2});
  CHECK(pieces_of({50, 50, 4, 3}, plane).empty());
  CHECK(pieces_of({0, 0, 0, 3}, RuleSpec{}).empty());
  std::int64_t cells = 0;
  for (const Piece& piece : pieces_of({-100, -100, 300, 300}, torus))
    cells += piece.part.width * piece.part.height;
  CHECK(cells == 60);
}
