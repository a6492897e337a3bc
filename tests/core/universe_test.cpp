#include "core/universe.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/cells/state_hash.h"
#include "tests/core/universes.h"
#include "tests/support/messages.h"

using namespace tessera;
using namespace tessera::test;

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

TEST_CASE("changing the backend keeps the cells, and a failed change keeps the backend") {
  for (const SpaceChoice choice : {SpaceChoice::automatic, SpaceChoice::grid}) {
    Universe universe(parse_rule_spec("B3/S23"), make_factory("cpu", "word", {}), 0, choice);
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
}
