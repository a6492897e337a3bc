#include "apps/measure/lockstep.h"

#include <doctest/doctest.h>

#include "apps/measure/first_difference.h"
#include "apps/measure/state_text.h"
#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/pattern_io.h"
#include "tests/app/faulty_backend.h"
#include "tests/measure/fake_clock.h"
#include "tests/support/messages.h"
#include "tests/support/sparse_space.h"

using namespace tessera;
using namespace tessera::test;

namespace {

// A linear rule: a cell that is wrong never heals, so that every fault reaches the end of its
// block.
const RuleSpec kTorus = parse_rule_spec("B1357/S1357:T100,70");
const Soup kSoup{3, 32768};

Contender contender(const std::string& name, const std::string& kernel, int trust,
                    const Faults& faults = {}, const RuleSpec& rule = kTorus) {
  return {name,
          [=] {
            auto universe = std::make_unique<Universe>(rule, [=](const BackendSpec& spec) {
              return std::make_unique<FaultyBackend>(spec, make_factory("cpu", kernel, {})(spec),
                                                     faults);
            });
            if (rule.bounded()) {
              universe->fill(kSoup);
            } else {
              universe->place(parse_pattern("b2o$2o$bo!", "r-pentomino.rle"));
            }
            return universe;
          },
          trust};
}

Faults flip_at(std::int64_t generation) {
  Faults faults;
  faults.flip_at = generation;
  return faults;
}

LockstepResult run(const std::vector<Contender>& contenders, std::int64_t generations = 300,
                   std::int64_t block = 64) {
  const WallClock clock;
  return run_lockstep(contenders, {generations, block, 0}, clock);
}

std::unique_ptr<Universe> reference_at(std::int64_t generation) {
  auto universe = contender("", "reference", 0).start();
  universe->step(generation);
  return universe;
}

}  // namespace

TEST_CASE("those who are equal are found equal, at the start and after every block") {
  const LockstepResult result =
      run({contender("a", "word", 1), contender("b", "double-word", 1), contender("c", "simd", 2)},
          200);
  CHECK(!result.difference);
  CHECK(result.generation == 200);
  CHECK(result.checks == 7);  // 0, 1, 2, 64, 128, 192, 200
  const auto expected = reference_at(200);
  CHECK(result.hash == expected->hash());
  CHECK(result.population == expected->population());
  for (const Standing& standing : result.standings) {
    CHECK(standing.agreed == 200);
    CHECK(standing.left_out == "");
    CHECK(standing.info.backend == "cpu");
  }
}

TEST_CASE("cells of several states are named by them") {
  CHECK(state_text(1, 2) == "alive");
  CHECK(state_text(0, 2) == "dead");
  CHECK(state_text(0, 3) == "in state 0");
  CHECK(state_text(255, 256) == "in state 255");
}

TEST_CASE("one bit that is wrong at one generation is caught, named and located") {
  // At the first and last generation of a block and of the run, and inside.
  for (const std::int64_t generation : {1, 2, 3, 63, 64, 65, 137, 192, 299, 300}) {
    CAPTURE(generation);
    const LockstepResult result =
        run({contender("good", "word", 1), contender("bad", "double-word", 1, flip_at(generation)),
             contender("third", "simd", 1)});
    REQUIRE(result.difference);
    const Difference& d = *result.difference;
    CHECK(d.wrong == 1);
    CHECK(d.judge != 1);
    CHECK(d.generation == generation);
    CHECK(d.repeatable);
    const Cell expected{-50 + 100 / 3, -35 + 70 / 2};  // FaultyBackend's cell, absolute
    REQUIRE(d.cell);
    CHECK(*d.cell == expected);
    const CellGrid right = reference_at(generation)->window({expected.x, expected.y, 1, 1});
    CHECK(d.other == right.state(0, 0));
    CHECK(d.state == 1 - d.other);
    CHECK(d.states == 2);
    CHECK(d.also.empty());
    CHECK(result.standings[0].agreed < generation);
  }
}

TEST_CASE("what goes wrong in long calls alone is located by the length of the call") {
  Faults faults;
  faults.wrong_from = 9;
  const LockstepResult result =
      run({contender("bad", "word", 1, faults), contender("good", "simd", 2)});
  REQUIRE(result.difference);
  CHECK(result.difference->wrong ==
        0);  // as many say so as say otherwise: the more trusted is believed
  CHECK(result.difference->judge == 1);
  CHECK(result.difference->generation == 2 + 9);  // agreed at 2; the first call that long is wrong
  REQUIRE(result.difference->cell);
  CHECK(*result.difference->cell == Cell{49, 34});
}

TEST_CASE("what happens only once is told as seen once") {
  bool left = true;
  Faults faults = flip_at(100);
  faults.flips_left = &left;
  const LockstepResult result =
      run({contender("good", "simd", 2), contender("bad", "word", 1, faults)});
  REQUIRE(result.difference);
  CHECK(!result.difference->repeatable);
  CHECK(result.difference->wrong == 1);
  CHECK(result.difference->generation == 128);
  CHECK(result.difference->cell.has_value());
}

TEST_CASE("a wrong hash of right cells has no cell") {
  Faults faults;
  faults.hash = 5;
  const LockstepResult result =
      run({contender("good", "simd", 2), contender("bad", "word", 1, faults)});
  REQUIRE(result.difference);
  CHECK(result.difference->wrong == 1);
  CHECK(result.difference->generation == 0);
  CHECK(!result.difference->cell);
}

TEST_CASE("several that differ are all named") {
  const LockstepResult result = run(
      {contender("bad", "word", 1, flip_at(70)), contender("good", "simd", 2),
       contender("good too", "double-word", 1), contender("worse", "reference", 3, flip_at(66))});
  REQUIRE(result.difference);
  CHECK(result.difference->judge == 1);  // two against one and one
  CHECK(result.difference->wrong == 0);
  CHECK(result.difference->generation == 70);
  CHECK(result.difference->also == std::vector<std::size_t>{3});
}

TEST_CASE("on the infinite plane grids grow apart and states stay equal") {
  const RuleSpec plane = parse_rule_spec("B3/S23");
  CHECK(!run({contender("a", "word", 1, {}, plane), contender("b", "simd", 2, {}, plane)}, 1103)
             .difference);
  Faults late;
  late.wrong_from = 60;
  const LockstepResult result =
      run({contender("a", "word", 1, late, plane), contender("b", "simd", 2, {}, plane)}, 400);
  REQUIRE(result.difference);
  CHECK(result.difference->wrong == 0);
  CHECK(result.difference->cell.has_value());
}

TEST_CASE("those who cannot begin are left out with the reason") {
  const Contender lame{"lame",
                       []() -> std::unique_ptr<Universe> { throw UnsupportedError("no legs"); }, 0};
  const LockstepResult result = run({lame, contender("good", "simd", 2)}, 10);
  CHECK(result.generation == 10);
  CHECK(result.standings[0].left_out == "no legs");
  CHECK(!result.standings[0].began);
  CHECK(run({lame}, 10).generation == 0);
}

TEST_CASE("a slow one leaves early and is the same until then") {
  FakeClock clock;
  const auto timed = [&](double each) {
    return Contender{
        "",
        [&clock, each] {
          return std::make_unique<
              Universe>(parse_rule_spec("B3/S23:T64,64"), [&clock, each](const BackendSpec&) {
            return std::make_unique<TimedBackend>(clock, TimedBackend::Pace{0, each, {40}, {}, 1});
          });
        },
        1};
  };
  // 1000 generations: 10 s, and 1000 s.
  const LockstepResult result = run_lockstep({timed(0.01), timed(1)}, {1000, 50, 60}, clock);
  CHECK(result.generation == 1000);
  CHECK(result.standings[0].agreed == 1000);
  CHECK(result.standings[1].agreed == 2);
  CHECK(has(result.standings[1].left_out, {"left at generation 2", "1000 s", "60 s"}));
}

TEST_CASE("it stops when it is told to") {
  const WallClock clock;
  const LockstepResult result = run_lockstep({contender("a", "simd", 1)}, {1000, 10, 0}, clock,
                                             [](std::int64_t at) { return at < 30; });
  CHECK(result.generation == 30);
}

TEST_CASE("blocks that are too long are refused") {
  const WallClock clock;
  const std::string what = message_of<InputError>([&] { run_lockstep({}, {10, 257, 0}, clock); });
  CHECK(has(what, {"257", "1 to 256"}));
}

TEST_CASE("the first cell that differs is found in reading order, however far apart cells live") {
  constexpr std::int64_t kApart = std::int64_t{1} << 60;
  const CellGrid soup = make_soup({8, 30000}, 90, 70);
  CellGrid cell(1, 1);
  cell.set_state(0, 0, 1);
  Universe one(std::make_unique<SparseSpace>(RuleSpec{})),
      other(std::make_unique<SparseSpace>(RuleSpec{}));
  for (Universe* universe : {&one, &other}) {
    for (const Cell& at : {Cell{kApart, 3}, {-kApart, 0}, {40, kApart}}) universe->edit(at, soup);
  }
  CHECK(!first_different_cell(one, other));
  // Each is earlier than those before it, in one universe or the other, alive or dead there.
  for (const Cell& at : {Cell{50, kApart + 30},
                         {49, kApart + 30},
                         {kApart + 50, 12},
                         {kApart, 12},
                         {-kApart + 7, 12},
                         {5, 11},
                         {-kApart, -kApart},
                         {-kApart - 1, -kApart}}) {
    CAPTURE(at.x);
    Universe& changed = at.x % 2 == 0 ? one : other;
    const bool alive = one.window({at.x, at.y, 1, 1}).state(0, 0) != 0;
    const bool now = changed.window({at.x, at.y, 1, 1}).state(0, 0) == 0;
    changed.edit(at, now ? cell : CellGrid(1, 1));
    for (const bool swapped : {false, true}) {
      const auto found =
          swapped ? first_different_cell(other, one) : first_different_cell(one, other);
      REQUIRE(found);
      CHECK(found->cell == at);
      const bool in_one = &changed == &one ? now : alive;
      CHECK(found->state == (swapped ? !in_one : in_one));
      CHECK(found->other == (swapped ? in_one : !in_one));
    }
  }
}
