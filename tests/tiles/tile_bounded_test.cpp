// Tori and bounded planes of any size as tiles against the grid with the reference kernel, which
// shares no code with them.

#include <doctest/doctest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/cells/cell_grid.h"
#include "core/pattern_io.h"
#include "core/tiles/tile_layout.h"
#include "core/universe.h"
#include "tests/support/messages.h"
#include "tests/tiles/random_lives.h"

using namespace tessera;
using namespace tessera::test;

namespace {

Universe tiles_of(const RuleSpec& spec, std::int64_t max_memory = 0) {
  return Universe(spec, make_factory("cpu", "simd", {}), max_memory, SpaceChoice::tiles);
}

// The same universe as tiles and as a grid.
class Pair {
 public:
  explicit Pair(const RuleSpec& spec, const char* kernel = "reference")
      : tiles_(tiles_of(spec)),
        grid_(spec, make_factory("cpu", kernel, {}), 0, SpaceChoice::grid) {}

  void place(const char* rle, const Cell& at) {
    Pattern pattern = parse_pattern(rle, "drawn.rle");
    pattern.position = at;
    tiles_.place(pattern);
    grid_.place(pattern);
  }
  void edit(const Cell& at, const BitGrid& cells) {
    tiles_.edit(at, cells);
    grid_.edit(at, cells);
  }
  void fill(const Soup& soup) {
    tiles_.fill(soup);
    grid_.fill(soup);
  }
  void step(std::int64_t generations) {
    tiles_.step(generations);
    grid_.step(generations);
  }
  // Empty when they are equal in all that can be asked.
  std::string difference() {
    const Rect all = grid_.extent();
    if (tiles_.window(all) != grid_.window(all)) return "cells differ";
    if (tiles_.survey() != grid_.survey()) return "surveys differ";
    if (tiles_.generation() != grid_.generation()) return "generations differ";
    return "";
  }
  std::string difference_within(const Rect& rect, std::int64_t scale) {
    if (tiles_.window(rect) != grid_.window(rect)) return "windows differ";
    DensityImage a, b;
    for (const bool wrapped : {false, true}) {
      tiles_.look({rect, scale, wrapped}, a);
      grid_.look({rect, scale, wrapped}, b);
      if (a != b) return "pictures differ";
    }
    return "";
  }
  Universe& tiles() { return tiles_; }

 private:
  Universe tiles_;
  Universe grid_;
};

std::int64_t random_side(Random& random) {
  switch (random() % 6) {
    case 0:
      return draw(random, 1, 4);
    case 1:
      return 48 * draw(random, 1, 4) + draw(random, -1, 1);
    case 2:
      return 48 * draw(random, 1, 3) + draw(random, 0, 9);  // a narrow last tile
    case 3:
      return 64 * draw(random, 1, 3) + draw(random, -1, 1);
    default:
      return draw(random, 5, 200);
  }
}

// One random life of a bounded universe, described for whoever must find out why it differs.
std::string run_case(std::uint64_t seed) {
  Random random(seed);
  RuleSpec spec;
  spec.rule = random_rule(random);
  spec.topology = random() % 2 ? Topology::torus : Topology::plane;
  spec.width = random_side(random);
  spec.height = random_side(random);
  std::string told = "seed " + std::to_string(seed) + " " + to_string(spec);
  Pair pair(spec, random() % 4 == 0 ? "reference" : "word");
  const Rect all{spec.origin().x, spec.origin().y, spec.width, spec.height};
  const auto inside = [&](std::int64_t width, std::int64_t height) {
    return Cell{all.x + draw(random, 0, all.width - width),
                all.y + draw(random, 0, all.height - height)};
  };
  std::int64_t left = 300;
  const std::int64_t habit = draw(random, 1, 20);
  const bool has_habit = random() % 3 == 0;
  for (int act = static_cast<int>(draw(random, 2, 6)); act > 0 && left > 0; act--) {
    for (std::int64_t n = draw(random, 1, 3); n > 0; n--) {
      BitGrid cells = random_cells(random, 60);
      const std::int64_t width = std::min(cells.width(), all.width);
      const std::int64_t height = std::min(cells.height(), all.height);
      if (random() % 2) {
        pair.edit(inside(width, height), cells.window({0, 0, width, height}));
      } else if (all.width > 20 && all.height > 10) {
        pair.place(kThings[random() % std::size(kThings)], inside(20, 10));
      }
    }
    const std::int64_t most = random() % 3 == 0 ? left / 2 : 30;
    for (int n = has_habit ? 4 : 1; n > 0 && left > 0; n--) {
      const std::int64_t generations =
          std::min(left, has_habit ? habit : draw(random, 1, most + 1));
      pair.step(generations);
      left -= generations;
      told += " +" + std::to_string(generations);
      if (const std::string wrong = pair.difference(); !wrong.empty()) return told + ": " + wrong;
      const Rect window{all.x + draw(random, -150, 100), all.y + draw(random, -150, 100),
                        draw(random, 1, 250), draw(random, 1, 250)};
      const std::string wrong = pair.difference_within(window, draw(random, 1, 60));
      if (!wrong.empty()) return told + ": " + wrong;
    }
  }
  return "";
}

}  // namespace

TEST_CASE("random lives of tori and bounded planes are those of the grid") {
  // TESSERA_CASES: fewer where checks make every step slow.
  const char* asked = std::getenv("TESSERA_CASES");
  const int cases = asked ? std::atoi(asked) : 2000;
  REQUIRE(cases > 0);
  for (int i = 0; i < cases; i++) {
    const std::string wrong = run_case(static_cast<std::uint64_t>(i));
    CHECK_MESSAGE(wrong.empty(), wrong);
    if (!wrong.empty()) break;
  }
}

TEST_CASE("a glider goes round a torus of any size and comes back as it was") {
  for (const std::int64_t side : {11, 47, 48, 49, 95, 96, 97, 100, 128, 143, 150}) {
    for (const std::int64_t height : {side, side + 1, std::int64_t{96}}) {
      CAPTURE(side);
      CAPTURE(height);
      RuleSpec spec{kLife, Topology::torus, side, height};
      Pair pair(spec, "word");
      pair.place("bo$2bo$3o!", {0, 0});
      const std::uint64_t start = pair.tiles().hash();
      const std::int64_t round = 4 * std::lcm(side, height);
      for (std::int64_t g = 0; g + 37 < std::min<std::int64_t>(round, 900); g += 37) {
        pair.step(37);
        REQUIRE(pair.difference() == "");
      }
      pair.tiles().step(round - pair.tiles().generation());
      CHECK(pair.tiles().hash() == start);
      CHECK(pair.tiles().population() == 5);
    }
  }
}

TEST_CASE("every rule's births at an edge stay inside, and go round a torus") {
  // B1 reaches the edge at once; B2 and B12345678 live on it.
  for (const char* rule : {"B1/S1", "B2/S", "B12345678/S012345678", "B3/S012345678"}) {
    for (const char* size :
         {":P1,1", ":P1,49", ":P50,1", ":P48,48", ":P49,97", ":P55,56", ":P104,3", ":T1,1",
          ":T1,50", ":T2,49", ":T48,48", ":T50,96", ":T97,47"}) {
      INFO(rule);
      INFO(size);
      const RuleSpec spec = parse_rule_spec(std::string(rule) + size);
      Pair pair(spec);
      BitGrid cell(1, 1);
      cell.set(0, 0, true);
      const Rect all = pair.tiles().extent();
      pair.edit({all.x + all.width - 1, all.y + all.height - 1}, cell);
      pair.edit({0, 0}, cell);
      for (int g = 0; g < 14; g++) {
        pair.step(1 + g);
        REQUIRE(pair.difference() == "");
      }
    }
  }
}

TEST_CASE("a gun on a torus shoots at its own back") {
  const char* gun =
      "24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bobo$10bo5bo7bo$"
      "11bo3bo$"
      "12b2o!";
  for (const char* size : {":T120,110", ":T144,96", ":P120,110"}) {
    INFO(size);
    Pair pair(parse_rule_spec(std::string("B3/S23") + size), "word");
    pair.place(gun, {-50, -40});
    for (const std::int64_t step : {1, 7, 30, 100, 500, 1000, 3000}) {
      pair.step(step);
      REQUIRE(pair.difference() == "");
    }
  }
}

TEST_CASE("a bounded universe at rest is jumped over") {
  for (const char* size : {":T100,90", ":P100,90", ":T96,144"}) {
    Pair pair(parse_rule_spec(std::string("B3/S23") + size), "word");
    pair.fill({11, 24000});
    pair.step(20000);
    REQUIRE(pair.difference() == "");
    pair.tiles().step(1000000000000);
    CHECK(pair.tiles().generation() == 1000000020000);
  }
}

TEST_CASE("a torus of 2^40 cells a side holds what lives in it, at its corners, too") {
  const RuleSpec spec{kLife, Topology::torus, (std::int64_t{1} << 40) - 1, std::int64_t{1} << 40};
  Universe universe = tiles_of(spec);
  Pattern glider = parse_pattern("bo$2bo$3o!", "glider.rle");
  const Cell low = spec.origin();
  glider.position = Cell{low.x + spec.width - 3, low.y + spec.height - 3};
  universe.place(glider);
  universe.step(40);
  CHECK(universe.population() == 5);
  const Bounds box = *universe.bounds();
  CHECK(box == Bounds{low.x + 7, low.y + 7, low.x + 9, low.y + 9});
  CHECK_THROWS_AS(universe.fill({1, 32768}), InputError);
  CHECK(universe.population() == 5);
}

TEST_CASE("tiles of a bounded universe keep to the memory that is allowed") {
  const RuleSpec spec{kLife, Topology::torus, 3000, 3001};
  Universe universe = tiles_of(spec, 1 << 20);
  CHECK_THROWS_AS(universe.fill({1, 32768}), InputError);
  universe.edit({0, 0}, make_soup({1, 32768}, 100, 100));
  CHECK(universe.population() > 0);
  CHECK(has(message_of<UnsupportedError>([] { tiles_of(parse_rule_spec("B0/S23:T20,20")); }),
            {"tiles hold universes under rules without B0", "B0/S23:T20,20", "--space grid"}));
}

TEST_CASE("a layout's tiles, copies and frames") {
  const TileLayout whole(Topology::torus, 96, 48);
  CHECK_FALSE(whole.has_copies());
  CHECK(whole.home({-1, 1}) == Cell{1, 0});
  CHECK(whole.frames().empty());
  const TileLayout seam(Topology::torus, 100, 48);
  CHECK(seam.has_copies());
  CHECK(seam.tiles() == Rect{0, 0, 3, 1});
  CHECK(seam.copies({-1, 0}));
  CHECK(seam.copies({3, 0}));
  CHECK_FALSE(seam.copies({-2, 0}));
  CHECK_FALSE(seam.holds({3, 0}));
  CHECK(seam.repetitions({0, 0, 1, 1}) == std::vector<Cell>{{0, 0}, {100, 0}});
  CHECK(seam.repetitions({44, 0, 1, 1}) == std::vector<Cell>{{0, 0}});
  const TileLayout plane(Topology::plane, 100, 48);
  CHECK_FALSE(plane.has_copies());
  CHECK(plane.frame({1, 0}) != 0);
  const std::vector<TileFrame> frames = plane.frames();
  CHECK(frames[plane.frame({0, 0})] == TileFrame{8, 8, 64, 56});
  CHECK(frames[plane.frame({1, 0})] == TileFrame{0, 8, 60, 56});
  CHECK(frames[plane.frame({2, 0})] == TileFrame{0, 8, 12, 56});
  CHECK(TileLayout().frame({5, 5}) == 0);
}
