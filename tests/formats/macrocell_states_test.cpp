#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>

#include "cell_model.h"
#include "core/patterns/macrocell.h"
#include "core/patterns/state_runs.h"
#include "core/rules/rule_spec.h"
#include "pattern_error.h"
#include "tests/support/as_written.h"

using namespace tessera;
using namespace tessera::test;

namespace {

Pattern read(const std::string& text) { return parse_pattern(text, "p.mc"); }
std::string refused(const std::string& lines) { return refusal("[M2]\n" + lines, "p.mc"); }
std::string written(const Pattern& pattern) {
  return format_pattern(pattern, PatternFormat::macrocell);
}

// Rows of digits and letters: . is state 0, 1 to 9 and a to z are states 1 to 35.
Pattern drawn_states(const std::string& rows, const char* rule) {
  Pattern p;
  std::int64_t x = 0, y = 0;
  for (const char c : rows) {
    if (c == '/') {
      x = 0;
      y++;
      continue;
    }
    if (c != '.') append_run(p, {x, y, 1, c <= '9' ? c - '0' : c - 'a' + 10});
    x++;
  }
  fit_box(p);
  p.rule = parse_rule_spec(rule);
  return p;
}

}  // namespace

TEST_CASE("macrocell files of several states as Golly writes them") {
  // Made by bgolly 3.3 out of an RLE of WireWorld.
  const Pattern p = read(
      "[M2] (golly 3.3)\n#R WireWorld\n#G 5\n1 0 0 1 2\n2 0 0 0 1\n1 3 0 0 0\n2 3 0 0 0\n3 0 2 0 "
      "4\n");
  CHECK(to_string(*p.rule) == "WireWorld");
  CHECK(p.generation == 5);
  CHECK(*p.position == Cell{0, 0});
  const Pattern same = drawn_states("..12/3.", "WireWorld");
  CHECK(p.cells == same.cells);
  CHECK(p.planes == same.planes);
  // Cells of state 1 alone are as any others.
  const Pattern ones = read("[M2]\n#R WireWorld\n1 1 0 0 1\n2 0 0 0 1\n3 0 0 0 2\n4 0 0 0 3\n");
  CHECK(ones.cells == drawn("O./.O"));
  CHECK(ones.planes.empty());
  CHECK(*ones.position == Cell{6, 7});
}

TEST_CASE("macrocell files of several states in all their spellings") {
  const Pattern wanted = boxed(drawn_states("12/3.", "/2/4"));
  for (const char* text :
       {// Roots of every level, whose middle is the cell (0, 1).
        "[M2]\n#R /2/4\n1 1 2 3 0\n", "[M2]\n#R /2/4\n1 1 2 3 0\n2 1 0 0 0\n",
        "[M2]\n#R /2/4\n1 1 2 3 0\n2 1 0 0 0\n3 0 2 0 0\n",
        "[M2]\n#R /2/4\n1 1 2 3 0\n2 0 0 0 1\n3 0 0 0 2\n4 3 0 0 0\n",
        // Empty squares, squares that are named nowhere, and the rule at the end.
        "[M2]\n1 0 0 0 0\n1  1\t2 3 0 \r\n2 2 1 1 0\n#R /2/4\n",
        "[M2]\n1 0 3 3 3\n1 1 2 3 0\n2 2 0 0 0\n#R /2/4\n",
        // A leaf of two states among them, as Golly does not write it.
        "[M2]\n#R /2/4\n.*$\n1 1 2 3 0\n2 2 0 0 0\n3 3 0 0 0\n4 4 0 0 0\n"}) {
    CAPTURE(text);
    const Pattern p = read(text);
    CHECK(p.cells == wanted.cells);
    CHECK(p.planes == wanted.planes);
  }
  CHECK(*read("[M2]\n#R /2/4\n1 1 2 3 0\n").position == Cell{-1, 0});
  CHECK(*read("[M2]\n#R /2/4\n1 1 2 3 0\n2 1 0 0 0\n").position == Cell{-2, -1});
  CHECK(*read("[M2]\n#R /2/4\n1 1 2 3 0\n2 1 0 0 0\n3 0 2 0 0\n").position == Cell{0, -3});
  // Two states before the first of three, leaves and squares.
  const Pattern mixed =
      read("[M2]\n#R /2/4\n*$\n1 1 0 0 0\n1 3 0 0 0\n2 2 3 0 0\n3 4 0 0 0\n4 1 5 0 0\n");
  CHECK(mixed.cells == drawn("O.......O.O"));
  CHECK(mixed.planes == drawn_states("1.......1.3", "/2/4").planes);
}

TEST_CASE("macrocell files of several states that are refused, and where") {
  const std::string square = "; a square is spelled level nw ne sw se";
  CHECK(refused("1 0 1 256 0\n") == "p.mc:2:7: the state of a cell must be at most 255");
  CHECK(refused("1 0 1 99999999999999999999 0\n") ==
        "p.mc:2:7: the state of a cell must be at most 255");
  CHECK(refused("1 0 1 2\n") == "p.mc:2:8: unexpected end of line" + square);
  CHECK(refused("1 0 1 2 3 4\n") == "p.mc:2:11: unexpected '4'" + square);
  CHECK(refused("1 0 -1 2 3\n") == "p.mc:2:5: unexpected '-'" + square);
  CHECK(refused("0 0 0 0 0\n") == "p.mc:2:1: the level must be within 1 to 1000000");
  CHECK(refused("1 0 1 0 0\n3 1 0 0 0\n") ==
        "p.mc:3:3: square 1 has level 1, but the parts of level 3 have level 2");
  CHECK(refused("1 0 1 0 0\n2 1 0 0 0\n4 2 0 0 0\n") ==
        "p.mc:4:3: square 2 has level 2, but the parts of level 4 have level 3");
  CHECK(refused("1 0 1 0 0\n1 1 0 0 0\n") ==
        "p.mc:3:1: the last square is the root and must be the largest, but its level is 1 and "
        "that of line 2 is 1");
  CHECK(refused("#R /2/4\n1 0 3 0 0\n1 0 1 4 5\n2 1 2 0 0\n") ==
        "p.mc:4:9: a cell of state 5; the rule /2/4 has states 0 to 3");
  CHECK(refused("1 0 3 2 0\n#R B3/S23\n") ==
        "p.mc:2:5: a cell of state 3; the rule B3/S23 has states 0 to 1");
  // Planes of one row of 2^31 cells of state 3 each.
  std::string bomb = "#R /2/4\n1 3 1 3 2\n";
  for (int level = 2; level < 32; level++) {
    const std::string part = std::to_string(level - 1);
    bomb += std::to_string(level) + " " + part + " " + part + " " + part + " " + part + "\n";
  }
  CHECK(refused(bomb).find(" live cells could take ") != std::string::npos);
}

TEST_CASE("macrocell files of several states as they are written") {
  Pattern p = drawn_states("..12/3.", "WireWorld");
  p.position = Cell{0, 6};
  p.generation = 5;
  CHECK(written(p) ==
        "[M2] (tessera)\n#R WireWorld\n#G 5\n1 0 0 1 2\n1 3 0 0 0\n2 0 1 2 0\n3 0 0 3 0\n4 0 0 0 "
        "4\n");
  // A rule of several states whose cells have one, which Golly reads in this form alone.
  p = drawn_states("1", "/2/3");
  p.position = Cell{0, 1};
  CHECK(written(p) == "[M2] (tessera)\n#R /2/3\n1 1 0 0 0\n2 1 0 0 0\n3 2 0 0 0\n4 0 0 0 3\n");
  // Equal squares once, long rows as short ones.
  p = {};
  append_run(p, {0, 0, std::int64_t{1} << 40, 2});
  append_run(p, {0, 1, std::int64_t{1} << 40, 5});
  p.rule = parse_rule_spec("/2/8");
  p.position = Cell{0, 1};
  fit_box(p);
  const std::string text = written(p);
  CHECK(std::count(text.begin(), text.end(), '\n') < 60);
  const Pattern back = read(text);
  CHECK(back == p);
}

TEST_CASE("patterns of random states are the same once written and read") {
  std::mt19937_64 random(15);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int i = 0; i < 60; i++) {
    const int states = 2 + below(i % 3 ? 8 : 255), width = 1 + below(40), height = 1 + below(40);
    Pattern p;
    for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x++) {
        if (const int state = below(4) ? 0 : below(states); state != 0)
          append_run(p, {x, y, 1, state});
      }
    }
    p.rule = parse_rule_spec("/2/" + std::to_string(std::max(3, states)));
    p.position = Cell{below(3000) - 1500, (std::int64_t{1} << below(62)) * (below(2) ? 1 : -1)};
    fit_box(p);
    const Pattern back = read(written(p));
    CHECK(back == boxed(p));
  }
}
