// Tori and bounded planes of any size as tiles against the grid with the reference kernel, which
// shares no code with them.

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/cells/cell_grid.h"
#include "core/pattern_io.h"
#include "core/tiles/tile_layout.h"
#include "core/universe.h"
#include "tests/support/kernels.h"
#include "tests/support/messages.h"
#include "tests/tiles/universe_pair.h"

using namespace tessera;
using namespace tessera::test;

namespace {

// Who steps tiles now.
std::string backend = "cpu", kernel_name = "simd";

Universe tiles_of(const RuleSpec& spec) {
  return Universe(spec, make_factory(backend, kernel_name, {}), 0, SpaceChoice::tiles);
}

// Whether a kernel interprets programs on the CPU (tile_states_test.cpp).
bool interprets(const Kernel& kernel) {
  return kernel.info.any_rule && kernel.backend() == "cpu:0";
}

// Everybody here who steps tiles; with `programs` those, too.
template <class Body>
void for_all_steppers(const Body& body, bool programs = false) {
  for (const Kernel& kernel : kernels_here()) {
    if (!has_tiles(kernel) || (interprets(kernel) && !programs)) continue;
    INFO(kernel.name());
    backend = kernel.backend();
    kernel_name = kernel.info.name;
    body(kernel);
    ran(kernel);
  }
  backend = "cpu", kernel_name = "simd";
}

class TiledPair : public UniversePair {
 public:
  explicit TiledPair(const RuleSpec& spec, const char* kernel = "reference")
      : UniversePair(tiles_of(spec), kernel) {}
};

}  // namespace

TEST_CASE("random lives of tori and bounded planes are those of the grid") {
  for_all_steppers(
      [](const Kernel& kernel) {
        // Interpreted programs have cases of their own (tile_states_test.cpp).
        const bool program = interprets(kernel);
        const bool fast = speed_of(kernel) == Speed::fast;
        const std::int64_t cases = program ? std::max<std::int64_t>(1, case_count(800) / 8)
                                           : case_count(fast ? 2000 : 100);
        REQUIRE(cases > 0);
        for (std::int64_t i = 0; i < cases; i++) {
          const std::string wrong =
              random_bounded_life(static_cast<std::uint64_t>(i), tiles_of,
                                  kernel.device.software ? Variety::few : Variety::any);
          CHECK_MESSAGE(wrong.empty(), wrong);
          if (!wrong.empty()) break;
        }
      },
      true);
}

TEST_CASE("a glider goes round a torus of any size and comes back as it was") {
  for_all_steppers([](const Kernel& kernel) {
    for (const std::int64_t side : {11, 47, 48, 49, 95, 96, 97, 100, 128, 143, 150}) {
      for (const std::int64_t height : {side, side + 1, std::int64_t{96}}) {
        // An emulated device is slow.
        if (kernel.device.software && height != side) break;
        CAPTURE(side);
        CAPTURE(height);
        RuleSpec spec{kLife, Topology::torus, side, height};
        TiledPair pair(spec, "word");
        pair.place("bo$2bo$3o!", {0, 0});
        const std::uint64_t start = pair.subject().hash();
        const std::int64_t round = 4 * std::lcm(side, height);
        for (std::int64_t g = 0; g + 37 < std::min<std::int64_t>(round, 900); g += 37) {
          pair.step(37);
          REQUIRE(pair.difference() == "");
        }
        pair.subject().step(round - pair.subject().generation());
        CHECK(pair.subject().hash() == start);
        CHECK(pair.subject().population() == 5);
      }
    }
  });
}

TEST_CASE("every rule's births at an edge stay inside, and go round a torus") {
  for_all_steppers([](const Kernel&) {
    // B1 reaches the edge at once; B2 and B12345678 live on it.
    for (const char* rule : {"B1/S1", "B2/S", "B12345678/S012345678", "B3/S012345678"}) {
      for (const char* size :
           {":P1,1", ":P1,49", ":P50,1", ":P48,48", ":P49,97", ":P55,56", ":P104,3", ":T1,1",
            ":T1,50", ":T2,49", ":T48,48", ":T50,96", ":T97,47"}) {
        INFO(rule);
        INFO(size);
        const RuleSpec spec = parse_rule_spec(std::string(rule) + size);
        TiledPair pair(spec);
        BitGrid cell(1, 1);
        cell.set(0, 0, true);
        const Rect all = pair.subject().extent();
        pair.edit({all.x + all.width - 1, all.y + all.height - 1}, cell);
        pair.edit({0, 0}, cell);
        for (int g = 0; g < 14; g++) {
          pair.step(1 + g);
          REQUIRE(pair.difference() == "");
        }
      }
    }
  });
}

TEST_CASE("a gun on a torus shoots at its own back") {
  for_all_steppers([](const Kernel& kernel) {
    const char* gun =
        "24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bobo$10bo5bo7bo$"
        "11bo3bo$"
        "12b2o!";
    for (const char* size : {":T120,110", ":T144,96", ":P120,110"}) {
      INFO(size);
      TiledPair pair(parse_rule_spec(std::string("B3/S23") + size), "word");
      pair.place(gun, {-50, -40});
      for (const std::int64_t step : {1, 7, 30, 100, 500, 1000, 3000}) {
        if (kernel.device.software && step > 1000) break;  // twice round is enough for it
        pair.step(step);
        REQUIRE(pair.difference() == "");
      }
    }
  });
}

TEST_CASE("a bounded universe at rest is jumped over") {
  for_all_steppers([](const Kernel&) {
    for (const char* size : {":T100,90", ":P100,90", ":T96,144"}) {
      TiledPair pair(parse_rule_spec(std::string("B3/S23") + size), "word");
      pair.fill({11, 24000});
      pair.step(20000);
      REQUIRE(pair.difference() == "");
      pair.subject().step(1000000000000);
      CHECK(pair.subject().generation() == 1000000020000);
    }
  });
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
  Universe universe(spec, make_factory("cpu", "simd", {}), 1 << 20, SpaceChoice::tiles);
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
