// What holds for a universe holds over any space: the dense ones, and one that has no grid at all.

#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/cells/rasterize.h"
#include "core/files/checkpoint.h"
#include "core/pattern_io.h"
#include "core/universe.h"
#include "tests/app/scratch_folder.h"
#include "tests/support/sparse_space.h"

using namespace tessera;
using namespace tessera::test;

namespace {

struct SpaceKind {
  const char* name;
  std::function<Universe(const RuleSpec&)> make;
};

const SpaceKind kKinds[] = {
    {"dense", [](const RuleSpec& spec) { return Universe(spec, make_factory("cpu", "word", {})); }},
    {"sparse", [](const RuleSpec& spec) { return Universe(std::make_unique<SparseSpace>(spec)); }},
    {"tiles",
     [](const RuleSpec& spec) {
       return Universe(spec, make_factory("cpu", "simd", {}), 0, SpaceChoice::tiles);
     }},
};

const char* const kSpecs[] = {"B3/S23", "B36/S23:T70,31", "B3/S23:P65,40", "B2/S:T64,64"};

constexpr const char* kGlider = "#CXRLE Pos=-7,3\nx = 5, y = 5, rule = B3/S23\nbo$2bo$3o$$4bo!";

void for_each_universe(const std::function<void(Universe&, const RuleSpec&)>& check) {
  for (const char* text : kSpecs) {
    const RuleSpec spec = parse_rule_spec(text);
    for (const SpaceKind& kind : kKinds) {
      INFO(kind.name);
      INFO(text);
      Universe universe = kind.make(spec);
      check(universe, spec);
    }
  }
}

Rect around(Universe& universe) {
  const Rect all = universe.extent();
  return {all.x - 20, all.y - 9, all.width + 33, all.height + 21};
}

}  // namespace

TEST_CASE("spaces agree on cells, surveys, pictures and patterns") {
  for (std::size_t n = 0; n < std::size(kSpecs) * (std::size(kKinds) - 1); n++) {
    const SpaceKind& kind = kKinds[1 + n / std::size(kSpecs)];
    const char* const text = kSpecs[n % std::size(kSpecs)];
    const RuleSpec spec = parse_rule_spec(text);
    INFO(text);
    INFO(kind.name);
    Universe dense = kKinds[0].make(spec), sparse = kind.make(spec);
    for (Universe* universe : {&dense, &sparse}) {
      universe->place(parse_pattern(kGlider, "glider.rle"));
      universe->edit({-20, -11}, make_soup({7, 20000}, 37, 20));
    }
    for (const std::int64_t step : {0, 1, 5, 30}) {
      for (Universe* universe : {&dense, &sparse}) universe->step(step);
      REQUIRE(sparse.survey() == dense.survey());
      CHECK(sparse.generation() == dense.generation());
      CHECK(sparse.extent() == dense.extent());
      const Rect rect = around(dense);
      CHECK(sparse.window(rect) == dense.window(rect));
      CHECK(sparse.pattern().cells == dense.pattern().cells);
      for (const std::int64_t scale : {1, 2, 3, 15, 16, 64}) {
        for (const bool wrapped : {false, true}) {
          if (wrapped && scale > 1) continue;  // a torus has its own pixel grid
          DensityImage a, b;
          sparse.look({rect, scale, wrapped}, a);
          dense.look({rect, scale, wrapped}, b);
          CHECK(a == b);
        }
      }
    }
  }
}

TEST_CASE("a survey finds what is asked for, and no more") {
  for_each_universe([](Universe& universe, const RuleSpec&) {
    universe.edit({2, 2}, make_soup({3, 30000}, 11, 5));
    const Survey all = universe.survey();
    CHECK(all.population == universe.population());
    CHECK(universe.survey({.population = true}) == Survey{all.population, {}, 0});
    CHECK(universe.survey({.bounds = true}) == Survey{0, all.bounds, 0});
    CHECK(universe.survey({.hash = true}) == Survey{0, {}, all.hash});
    CHECK(universe.survey({}) == Survey{});
  });
}

TEST_CASE("a checkpoint goes from any space into any other") {
  const ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  for_each_universe([&](Universe& universe, const RuleSpec& spec) {
    universe.edit({-9, -8}, make_soup({5, 25000}, 30, 20));
    universe.step(3);
    const Rect all = universe.extent();
    CheckpointInfo info;
    info.rule = spec;
    info.generation = universe.generation();
    write_checkpoint(path, info, *universe.pieces(all));
    for (const SpaceKind& kind : kKinds) {
      Universe other = kind.make(spec);
      other.edit({0, 0}, make_soup({6, 40000}, 9, 9));  // is replaced
      CheckpointReader reader(path);
      CHECK(reader.extent() == all);
      other.load(reader);
      CHECK(other.survey() == universe.survey());
      universe.set_generation(100);
      other.set_generation(100);
      CHECK(other.window(all) == universe.window(all));
    }
  });
}

TEST_CASE("pieces of a part are the part's cells, and what they do not cover is dead") {
  for_each_universe([](Universe& universe, const RuleSpec&) {
    universe.edit({-9, -8}, make_soup({5, 25000}, 30, 20));
    const Rect part{-3, -4, 17, 9};
    const CellGrid before = universe.window(part);
    const std::unique_ptr<PieceSource> pieces = universe.pieces(part);
    CHECK(pieces->extent() == part);
    CellGrid joined(part.width, part.height);
    while (const std::optional<Piece> piece = pieces->next()) {
      CHECK(part.contains(piece->rect()));
      joined.paste(piece->at.x - part.x, piece->at.y - part.y, piece->cells);
    }
    CHECK(joined == before);
    const std::vector<Piece> one{{{part.x, part.y}, before}};
    PieceList list(part, one);
    universe.load(list);
    CHECK(universe.population() == before.population());
    CHECK(universe.window(part) == before);
  });
}

TEST_CASE("what lives far apart costs nothing between") {
  // Alive at both ends of 2^60 cells, in a space that holds no grid: reading their box would need
  // more memory than any machine has.
  constexpr std::int64_t kApart = std::int64_t{1} << 60;
  Universe universe(std::make_unique<SparseSpace>(RuleSpec{}));
  const CellGrid soup = make_soup({8, 30000}, 90, 70);
  const Cell places[] = {{kApart, 3}, {-5, -kApart}, {40, kApart}};
  for (const Cell& at : places) universe.edit(at, soup);

  const Pattern pattern = universe.pattern();
  CHECK(pattern.cells.population() == 3 * soup.population());
  CHECK(pattern.position == Cell{-5, -kApart});
  CHECK(pattern.width == kApart + 5 + 90);
  CHECK(pattern.height == 2 * kApart + 70);
  CellCollector runs;
  for (const Cell& at : places) {
    const CellRuns placed = runs_of(soup.plane(0), {at.x + 5, at.y + kApart});
    CellRuns::Reader reader = placed.reader();
    while (const std::optional<CellRun> run = reader.next()) runs.add(run->x, run->y, run->length);
  }
  CHECK(pattern.cells == runs.take());

  const ScratchFolder folder;
  const std::string path = folder.file("c.tsr");
  write_checkpoint(path, {}, *universe.pieces(universe.extent()));
  CHECK(bytes_of(path).size() < 10000);
  CheckpointReader reader(path, 1 << 20);
  Universe other(std::make_unique<SparseSpace>(RuleSpec{}));
  other.load(reader);
  CHECK(other.survey() == universe.survey());
  // A box with a side above 2^62 cells is refused by every file.
  CellGrid cell(1, 1);
  cell.set_state(0, 0, 1);
  other.edit({-kFarthestCell, 0}, cell);
  other.edit({kFarthestCell, 0}, cell);
  CHECK_THROWS_AS(other.pattern(), InputError);
  CHECK_THROWS_AS(write_checkpoint(path, {}, *other.pieces(other.extent())), InputError);
  // A grid cannot hold them, and says so.
  CheckpointReader again(path);
  Universe dense = kKinds[0].make(RuleSpec{});
  CHECK_THROWS_AS(dense.load(again), InputError);
}

TEST_CASE("every space refuses the same") {
  for_each_universe([](Universe& universe, const RuleSpec& spec) {
    CHECK_THROWS_AS(universe.step(-1), InputError);
    CHECK_THROWS_AS(universe.edit({(std::int64_t{1} << 61) + 1, 0}, CellGrid(1, 1)), InputError);
    DensityImage image;
    CHECK_THROWS_AS(universe.look({{0, 0, 0, 5}, 1}, image), InputError);
    CHECK_THROWS_AS(universe.look({{0, 0, 5, 5}, View::kMaxScale + 1}, image), InputError);
    if (spec.bounded()) {
      const Rect all = universe.extent();
      CHECK_THROWS_AS(universe.edit({all.x + all.width - 1, 0}, CellGrid(2, 1)), InputError);
      universe.fill({3, 30000});
      CHECK(universe.window(all) == make_soup({3, 30000}, all.width, all.height));
    } else {
      CHECK_THROWS_AS(universe.fill({3, 30000}), InputError);
    }
    universe.clear();
    CHECK(universe.population() == 0);
  });
}
