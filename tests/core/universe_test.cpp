#include "core/universe.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <new>
#include <string>
#include <vector>

#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/cells/rasterize.h"
#include "core/cells/state_hash.h"
#include "tests/support/fake_backend.h"
#include "tests/support/messages.h"

using namespace tessera;
using namespace tessera::test;

namespace {

BackendFactory fakes(Cell speed = {1, 0}) {
  return [speed](const BackendSpec& spec) { return std::make_unique<FakeBackend>(spec, speed); };
}

// Fakes up to a number of cells; larger ones are refused as a driver would.
BackendFactory small_fakes(std::int64_t cells) {
  return [cells](const BackendSpec& spec) -> std::unique_ptr<StepBackend> {
    if (spec.width * spec.height > cells) throw UnsupportedError("no more than a few cells");
    return std::make_unique<FakeBackend>(spec);
  };
}

Pattern pattern_of(std::initializer_list<CellRun> runs, std::optional<Cell> position = {}) {
  Pattern pattern;
  for (const CellRun& run : runs) pattern.cells.append(run.x, run.y, run.length);
  pattern.position = position;
  return pattern;
}

Pattern glider(std::optional<Cell> position = {}) {
  return pattern_of({{1, 0, 1}, {2, 1, 1}, {0, 2, 3}}, position);
}

bool alive(Universe& universe, std::int64_t x, std::int64_t y) {
  return universe.window({x, y, 1, 1}).state(0, 0) != 0;
}

}  // namespace

TEST_CASE("a bounded universe is one backend of its size, edge and rule") {
  std::vector<BackendSpec> made;
  const BackendFactory factory = [&](const BackendSpec& spec) {
    made.push_back(spec);
    return std::make_unique<FakeBackend>(spec);
  };
  Universe torus(parse_rule_spec("B36/S23:T70,31"), factory, 12345);
  Universe plane(parse_rule_spec("B0/S8:P5"), factory);
  REQUIRE(made.size() == 2);
  CHECK(made[0].width == 70);
  CHECK(made[0].height == 31);
  CHECK(made[0].boundary == Boundary::torus);
  CHECK(made[0].rule == parse_rule("B36/S23"));
  CHECK(made[0].max_memory == 12345);
  CHECK(made[1].boundary == Boundary::plane);
  CHECK(made[1].max_memory == 0);
  CHECK(torus.extent() == Rect{-35, -15, 70, 31});
  CHECK(plane.extent() == Rect{-2, -2, 5, 5});
}

TEST_CASE("what the factory throws reaches the caller") {
  for (const std::string spec : {"B3/S23", "B3/S23:T9"}) {
    const RuleSpec rule = parse_rule_spec(spec);
    CHECK(message_of<DeviceError>([&] {
            Universe(rule, [](const BackendSpec&) -> std::unique_ptr<StepBackend> {
              throw DeviceError("the device is gone");
            });
          }) == "the device is gone");
    CHECK(message_of<UnsupportedError>([&] { Universe(rule, small_fakes(5)); }) ==
          "no more than a few cells");
  }
}

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

TEST_CASE("a bounded universe hashes from its own corner") {
  Universe universe(parse_rule_spec("B3/S23:T101,50"), fakes());
  const Soup soup = Soup::of(0.5, 4);
  universe.fill(soup);
  CHECK(universe.hash() == state_hash(make_soup(soup, 101, 50)));
  CHECK(universe.window({-50, -25, 101, 50}) == make_soup(soup, 101, 50));
}

TEST_CASE("a soup needs a bounded universe") {
  Universe universe(parse_rule_spec("B36/S23"), fakes());
  CHECK(has(message_of<InputError>([&] { universe.fill(Soup{}); }),
            {"a soup needs a bounded universe", "B36/S23:T4096,4096"}));
}

TEST_CASE("loading replaces everything") {
  const BitGrid cells = make_soup(Soup::of(0.5, 9), 100, 20);
  Universe plane(parse_rule_spec("B3/S23"), fakes());
  plane.place(glider(Cell{500, 500}));
  plane.load(cells, {-7, -3});
  CHECK(plane.population() == cells.population());
  CHECK(plane.window({-7, -3, 100, 20}) == cells);
  plane.load(BitGrid(3, 3), {90, 90});
  CHECK(plane.population() == 0);
  Universe torus(parse_rule_spec("B3/S23:T100,20"), fakes());
  torus.load(cells, {-50, -10});
  CHECK(torus.window({-50, -10, 100, 20}) == cells);
  CHECK(has(message_of<InputError>([&] {
              torus.load(cells, {0, 0});
            }),
            {"a rectangle of 100x20 cells at (0, 0)", "B3/S23:T100,20"}));
  CHECK(has(message_of<InputError>([&] {
              torus.load(BitGrid(100, 21), {-50, -10});
            }),
            {"100x21", "does not lie inside the universe B3/S23:T100,20"}));
  CHECK(torus.window({-50, -10, 100, 20}) == cells);
}

TEST_CASE("a window may lie anywhere, and is dead outside the grid") {
  for (const std::string spec : {"B3/S23", "B3/S23:P20,20"}) {
    CAPTURE(spec);
    Universe universe(parse_rule_spec(spec), fakes());
    universe.place(pattern_of({{-10, -10, 20}, {-10, 9, 20}}));
    BitGrid wanted(500, 300);
    wanted.fill_run(190, 90, 20);
    wanted.fill_run(190, 109, 20);
    CHECK(universe.window({-200, -100, 500, 300}) == wanted);
    CHECK(universe.window({5, 9, 20, 1}).population() == 5);
    CHECK(universe.window({1000, 1000, 5, 5}).population() == 0);
    CHECK(universe.window({-5000, -10, 5, 5}).population() == 0);
    CHECK_THROWS_AS(universe.window({0, 0, 0, 5}), InputError);
  }
}

TEST_CASE("a pattern comes out as it went in") {
  Universe universe(parse_rule_spec("B36/S23"), fakes());
  universe.set_generation(77);
  CHECK(universe.pattern().cells.empty());
  universe.place(glider(Cell{-100, 33}));
  const Pattern out = universe.pattern();
  CHECK(out.cells == glider().cells);
  CHECK(out.position == Cell{-100, 33});
  CHECK(out.width == 3);
  CHECK(out.height == 3);
  CHECK(out.generation == 77);
  CHECK(out.rule == parse_rule_spec("B36/S23"));
}

TEST_CASE("generations are counted, none is no work, and none are negative") {
  for (const std::string spec : {"B3/S23", "B3/S23:T20"}) {
    CAPTURE(spec);
    Universe universe(parse_rule_spec(spec), fakes());
    universe.place(glider());
    const std::uint64_t before = universe.hash();
    universe.step(0);
    CHECK(universe.generation() == 0);
    CHECK(universe.hash() == before);
    CHECK(has(message_of<InputError>([&] { universe.step(-4); }),
              {"-4 generations; 0 or more are accepted"}));
    CHECK(universe.generation() == 0);
    universe.set_generation(1000);
    universe.step(3);
    CHECK(universe.generation() == 1003);
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
  Universe universe(parse_rule_spec("B3/S23"), factory);
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
  Universe other(parse_rule_spec("B3/S23"), factory);
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
  Universe universe(parse_rule_spec("B3/S23"), factory);
  universe.place(pattern_of({{300, 0, 2}}));
  CHECK(message_of<DeviceError>([&] { universe.step(5000); }) == "lost for a moment");
  CHECK(universe.population() == 2);
  CHECK(universe.bounds()->xmin == 300 + universe.generation());
  universe.step(100);
  CHECK(universe.bounds()->xmin == 300 + universe.generation());
}

TEST_CASE("changing the backend keeps the cells, and a failed change keeps the backend") {
  Universe universe(parse_rule_spec("B3/S23"), make_factory("cpu", "word", {}));
  universe.place(glider(Cell{5, 5}));
  universe.step(123);
  const std::uint64_t before = universe.hash();
  CHECK(message_of<UnsupportedError>([&] { universe.use(small_fakes(5)); }) ==
        "no more than a few cells");
  CHECK(universe.info().kernel == "word");
  CHECK(universe.hash() == before);
  universe.step(300);  // grows with the old factory
  universe.use(make_factory("cpu", "reference", {}));
  CHECK(universe.info().kernel == "reference");
  CHECK(universe.generation() == 423);
  universe.step(600);  // grows with the new one
  CHECK(universe.info().kernel == "reference");
  CHECK(universe.generation() == 1023);
  universe.step(1);
  CHECK(universe.bounds() == Bounds{261, 261, 263, 263});
}
