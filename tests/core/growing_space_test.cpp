#include "core/spaces/growing_space.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <new>
#include <string>
#include <vector>

#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/cells/state_hash.h"
#include "tests/core/universes.h"
#include "tests/support/messages.h"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("stepping stops before coordinates overflow") {
  BitGrid cell(1, 1);
  cell.set(0, 0, true);
  const std::int64_t far = (std::int64_t{1} << 62) - (std::int64_t{1} << 50);
  Universe universe(parse_rule_spec("B3/S23"), fakes());
  universe.load(cell, {far - 500, 7});
  const std::string what = message_of<MemoryLimitError>([&] { universe.step(2000); });
  CHECK(has(what, {"generation ", "the pattern has reached",
                   "beyond the coordinates that are supported"}));
  CHECK(universe.generation() > 0);
  CHECK(universe.generation() < 2000);
  CHECK(universe.bounds()->xmin == far - 500 + universe.generation());
  CHECK(universe.population() == 1);
}

TEST_CASE("nothing is lost at the speed of light, whatever the steps") {
  for (int dx = -1; dx <= 1; dx++) {
    for (int dy = -1; dy <= 1; dy++) {
      for (const std::int64_t stride : {1, 7, 63, 64, 65, 500}) {
        CAPTURE(dx);
        CAPTURE(dy);
        CAPTURE(stride);
        Universe universe(parse_rule_spec("B3/S23"), fakes({dx, dy}));
        universe.place(pattern_of({{0, 0, 3}, {63, 5, 2}}, Cell{-17, 40}));
        std::int64_t at = 0;
        for (; at < 1500; at += stride) {
          universe.step(stride);
          REQUIRE(universe.population() == 5);
        }
        CHECK(universe.generation() == at);
        CHECK(universe.bounds() == Bounds{-17 + dx * at, 40 + dy * at, 47 + dx * at, 45 + dy * at});
        CHECK(alive(universe, 46 + dx * at, 45 + dy * at));
      }
    }
  }
}

TEST_CASE("a glider goes along a tube and round it, and ends at the edge of a strip") {
  for (const char* kernel : {"word", "simd", "reference"}) {
    CAPTURE(kernel);
    Universe across(parse_rule_spec("B3/S23:T0,20"), make_factory("cpu", kernel, {}));
    Universe down(parse_rule_spec("B3/S23:T20,0"), make_factory("cpu", kernel, {}));
    Universe strip(parse_rule_spec("B3/S23:P0,20"), make_factory("cpu", kernel, {}));
    for (Universe* universe : {&across, &down, &strip}) {
      universe->place(glider(Cell{3, -7}));
      CHECK(universe->space() == std::string_view("grid"));
      universe->step(4 * 200);
    }
    CHECK(across.bounds() == Bounds{203, -7, 205, -5});
    CHECK(down.bounds() == Bounds{3, 193, 5, 195});
    // A block stays in the corner.
    CHECK(strip.population() == 4);
    CHECK(strip.bounds()->ymax == 9);
    CHECK(across.population() == 5);
    CHECK(across.hash() != down.hash());
  }
}

TEST_CASE("the hash of a tube does not depend on how its grid grew") {
  Universe grown(parse_rule_spec("B3/S23:T33,0"), make_factory("cpu", "word", {}));
  grown.place(glider(Cell{-1, 3}));
  for (const std::int64_t step : {1, 2, 97, 300, 1000}) {
    grown.step(step);
    Universe made(grown.spec(), make_factory("cpu", "word", {}));
    const Rect box = grown.bounds()->rect();
    made.load(grown.window(box), {box.x, box.y});
    CHECK(made.hash() == grown.hash());
  }
}

TEST_CASE("cells beyond the edges of a tube are refused") {
  Universe tube(parse_rule_spec("B3/S23:T0,20"), make_factory("cpu", "word", {}));
  CHECK(message_of<InputError>([&] {
          tube.place(glider(Cell{5, 8}));
        }) ==
        "the pattern's live cell at (5, 10) lies outside the universe B3/S23:T0,20, whose rows are "
        "-10 to 9");
  Universe strip(parse_rule_spec("B3/S23:P20,0"), make_factory("cpu", "word", {}));
  CHECK(message_of<InputError>([&] {
          strip.place(glider(Cell{-12, 8}));
        }).ends_with("whose columns are -10 to 9"));
  CHECK_THROWS_AS(strip.edit({-11, 0}, CellGrid(3, 3)), InputError);
  CHECK(strip.population() == 0);
  CHECK(message_of<InputError>([&] {
          strip.fill(Soup::of(0.5, 1));
        }).find("a soup needs a bounded universe") == 0);
  CHECK(message_of<UnsupportedError>([] {
          Universe(parse_rule_spec("B3/S23:T0,20"), make_factory("cpu", "simd", {}), 0,
                   SpaceChoice::tiles);
        }) ==
        "tiles hold universes of which both sides end or none, not B3/S23:T0,20; --space grid "
        "holds it");
}

TEST_CASE("the plane's hash does not depend on how its grid grew") {
  Universe grown(parse_rule_spec("B3/S23"), make_factory("cpu", "word", {}));
  grown.place(glider(Cell{-1, 3}));
  for (const std::int64_t step : {1, 2, 97, 300, 1000}) {
    grown.step(step);
    // The same cells, loaded in one go from a grid that is cut anywhere.
    const Bounds box = *grown.bounds();
    Universe loaded(parse_rule_spec("B3/S23"), make_factory("cpu", "word", {}));
    loaded.load(grown.window({box.xmin - 3, box.ymin - 1, 9, 9}), {box.xmin - 3, box.ymin - 1});
    CHECK(loaded.hash() == grown.hash());
    CHECK(loaded.bounds() == grown.bounds());
    Universe placed(parse_rule_spec("B3/S23"), make_factory("cpu", "word", {}));
    placed.place(grown.pattern());
    CHECK(placed.hash() == grown.hash());
    // And by the definition, on words aligned to multiples of 64.
    const std::int64_t left = floor_div(box.xmin, 64) * 64;
    CHECK(state_hash(grown.window({left, box.ymin, 128, 3}).plane(0), left / 64, box.ymin) ==
          grown.hash());
  }
}

TEST_CASE("an empty plane steps for free") {
  std::vector<std::string> calls;
  Universe universe(parse_rule_spec("B1/S1"), [&](const BackendSpec& spec) {
    return std::make_unique<FakeBackend>(spec, Cell{1, 0}, &calls);
  });
  universe.step(1000000000000000000);
  CHECK(universe.generation() == 1000000000000000000);
  CHECK(calls.empty());
}

TEST_CASE("growing past the limit is an error that leaves a valid state") {
  Universe universe(parse_rule_spec("B3/S23"), small_fakes(600 * 600));
  universe.place(pattern_of({{0, 0, 1}, {0, 400, 1}, {400, 401, 1}}));
  Universe twin(parse_rule_spec("B3/S23"), fakes());
  twin.place(universe.pattern());
  // At the speed of light to the right the box keeps its size: it fits for ever.
  universe.step(3000);
  twin.step(3000);
  CHECK(universe.hash() == twin.hash());
  // A cell far away makes the box too large; the failed attempt changes nothing.
  const std::uint64_t before = universe.hash();
  CHECK(has(message_of<UnsupportedError>([&] {
              universe.place(pattern_of({{9000, 0, 1}}));
            }),
            {"no more than a few cells"}));
  CHECK(universe.hash() == before);
  CHECK(universe.generation() == 3000);
  universe.step(100);
  twin.step(100);
  CHECK(universe.hash() == twin.hash());
}

TEST_CASE("an explosion ends with the generation that still fitted") {
  // Every cell with a live neighbour is born: after g generations a square of side 2g + 1.
  for (const std::int64_t limit : {100000, 1 << 18}) {
    CAPTURE(limit);
    Universe universe(parse_rule_spec("B12345678/S012345678"), make_factory("cpu", "word", {}),
                      limit);
    universe.place(pattern_of({{0, 0, 1}}));
    const std::string what = message_of<MemoryLimitError>([&] { universe.step(1000000); });
    const std::int64_t g = universe.generation();
    CHECK(has(what,
              {fmt::format("generation {}: the pattern covers {}x{} cells", g, 2 * g + 1, 2 * g + 1)
                   .c_str(),
               "cannot grow any further", "is the limit"}));
    // Two grids of a bit a cell; at least a third of them is used when nothing more fits.
    CHECK((2 * g + 1) * (2 * g + 1) * 2 > limit * 8 / 3);
    CHECK((2 * g + 1) * (2 * g + 1) * 2 < limit * 8);
    CHECK(universe.population() == (2 * g + 1) * (2 * g + 1));
    CHECK(universe.bounds() == Bounds{-g, -g, g, g});
    // It is usable: it says so again, and goes on under a factory with more room.
    CHECK_THROWS_AS(universe.step(1000), MemoryLimitError);
    CHECK(universe.population() ==
          (2 * universe.generation() + 1) * (2 * universe.generation() + 1));
    CHECK(universe.pattern().cells.population() == universe.population());
  }
}

TEST_CASE("memory that the machine refuses is a limit like any other") {
  const BackendFactory factory = [](const BackendSpec& spec) -> std::unique_ptr<StepBackend> {
    if (spec.height > 1000) throw std::bad_alloc();
    return std::make_unique<FakeBackend>(spec, Cell{1, 1});
  };
  Universe universe(parse_rule_spec("B3/S23"), factory);
  universe.place(pattern_of({{0, 0, 1}}));
  const std::uint64_t before = universe.hash();
  CHECK(has(message_of<MemoryLimitError>([&] {
              universe.place(pattern_of({{0, 2000, 1}}));
            }),
            {"memory"}));
  CHECK(universe.hash() == before);
  universe.step(5000);
  CHECK(universe.bounds() == Bounds{5000, 5000, 5000, 5000});
}

TEST_CASE("device memory that runs out gets a second try, and then is a limit like any other") {
  // The first try is for a margin of a quarter of the cells' sides, the second for eight cells.
  std::vector<std::int64_t> heights;
  std::int64_t most = 1500;
  const BackendFactory factory = [&](const BackendSpec& spec) -> std::unique_ptr<StepBackend> {
    heights.push_back(spec.height);
    if (spec.height > most) throw DeviceMemoryError("the device has no memory left");
    return std::make_unique<FakeBackend>(spec, Cell{0, 1});
  };
  Universe universe(parse_rule_spec("B3/S23"), factory, 0, SpaceChoice::grid);
  universe.place(pattern_of({{0, 0, 1}, {0, 1199, 1}}));
  CHECK(heights == std::vector<std::int64_t>{129, 1800, 1216});
  CHECK(universe.population() == 2);
  universe.step(1000);  // the box keeps its size
  CHECK(universe.bounds() == Bounds{0, 1000, 0, 2199});
  most = 1000;  // others have taken it
  const std::uint64_t before = universe.hash();
  heights.clear();
  CHECK_THROWS_AS(universe.step(1000), DeviceMemoryError);  // not even the old grid
  CHECK(heights.back() == 1216);
  Universe other(parse_rule_spec("B3/S23"), factory, 0, SpaceChoice::grid);
  other.place(pattern_of({{0, 0, 1}, {0, 700, 1}}));
  CHECK(has(message_of<MemoryLimitError>([&] {
              other.place(pattern_of({{0, 5000, 1}}));
            }),
            {"the pattern covers 1x5001 cells", "cannot grow any further",
             "the device has no memory left"}));
  CHECK(other.population() == 2);
  CHECK(other.hash() != before);
  other.step(500);
  CHECK(other.bounds() == Bounds{0, 500, 0, 1200});
}

TEST_CASE("a device that fails while growing fails the step and keeps the state") {
  int left = 2;
  const BackendFactory factory = [&](const BackendSpec& spec) -> std::unique_ptr<StepBackend> {
    if (left-- == 0) throw DeviceError("lost for a moment");
    return std::make_unique<FakeBackend>(spec);
  };
  Universe universe(parse_rule_spec("B3/S23"), factory, 0, SpaceChoice::grid);
  universe.place(pattern_of({{300, 0, 2}}));
  CHECK(message_of<DeviceError>([&] { universe.step(5000); }) == "lost for a moment");
  CHECK(universe.population() == 2);
  CHECK(universe.bounds()->xmin == 300 + universe.generation());
  universe.step(100);
  CHECK(universe.bounds()->xmin == 300 + universe.generation());
}
