#include "apps/viewer/simulation/timeline.h"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "apps/viewer/simulation/engine.h"
#include "core/base/error.h"
#include "core/stepping/period_finder.h"

using namespace tessera;

namespace {

// A state of 64 x `rows` cells.
GridState state_of(std::int64_t generation, std::int64_t rows = 1) {
  std::vector<Piece> pieces;
  pieces.push_back({{0, 0}, CellGrid(64, rows, 1)});
  return {
      RuleSpec{}, generation, {}, std::make_shared<const std::vector<Piece>>(std::move(pieces))};
}

void finish(Engine& engine) {
  while (engine.running()) engine.advance();
}

DeviceOptions cpu() {
  DeviceOptions options;
  options.backend = "cpu";
  return options;
}

void start(Engine& engine) { engine.start_soup(parse_rule_spec("B3/S23:T96,80"), {5, 25000}); }

std::uint64_t hash_at(Engine& engine, std::int64_t generation) {
  engine.go_to(generation), finish(engine);
  CHECK(engine.universe().generation() == generation);
  return engine.universe().hash();
}

}  // namespace

TEST_CASE("the last state before a generation is found, within bounded memory") {
  const std::int64_t each = state_of(0, 10).bytes();
  Timeline timeline(40 * each);
  CHECK(timeline.before(5) == nullptr);
  for (std::int64_t i = 0; i < 5000; i++) {
    timeline.keep(state_of(3 * i, 10), false);
    CHECK(timeline.bytes() <= 40 * each);
  }
  CHECK(timeline.first() == 0);
  CHECK(timeline.last() == 3 * 4999);
  CHECK(timeline.before(3 * 4999)->generation == 3 * 4999);
  // The nearest one is never further than half of the way back to it.
  for (std::int64_t at = 0; at <= 3 * 4999; at++) {
    const std::int64_t kept = timeline.before(at)->generation;
    CHECK(kept <= at);
    CHECK(at - kept <= 3 + (3 * 4999 - kept) / 2);
  }
  Timeline many(std::int64_t{1} << 40);
  for (std::int64_t i = 0; i < 2000; i++) many.keep(state_of(i), false);
  CHECK(many.size() <= Timeline::kMost);
}

TEST_CASE("what follows an edit is cut, and edits are met on the way") {
  Timeline timeline(1 << 20);
  for (const std::int64_t at : {0, 10, 20, 30}) timeline.keep(state_of(at), at == 20);
  timeline.reached(35);
  CHECK(timeline.last() == 35);
  CHECK(timeline.edit_between(0, 19) < 0);
  CHECK(timeline.edit_between(0, 20) == 20);
  CHECK(timeline.edit_between(20, 35) < 0);
  timeline.cut(20);
  CHECK(timeline.last() == 20);
  CHECK(timeline.before(100)->generation == 10);
}

TEST_CASE("one generation back is what was there, wherever one has been") {
  Engine engine(cpu());
  start(engine);
  std::vector<std::uint64_t> hashes{engine.universe().hash()};
  for (int i = 1; i <= 60; i++) {
    engine.step(1), finish(engine);
    hashes.push_back(engine.universe().hash());
  }
  for (int i = 59; i >= 30; i--) {
    engine.step_back(), finish(engine);
    CHECK(engine.universe().generation() == i);
    CHECK(engine.universe().hash() == hashes[static_cast<std::size_t>(i)]);
  }
  CHECK(engine.status().last_generation == 60);
  for (const std::int64_t at : {45, 3, 60, 0, 17})
    CHECK(hash_at(engine, at) == hashes[static_cast<std::size_t>(at)]);
  engine.step_back(), engine.step_back(), finish(engine);
  CHECK(engine.universe().generation() == 15);
  engine.undo();
  engine.go_to(0), finish(engine);
  CHECK_THROWS_AS(engine.step_back(), InputError);
}

TEST_CASE("an edit cuts the future, and its past stays") {
  Engine engine(cpu());
  start(engine);
  const std::uint64_t at_40 = hash_at(engine, 40), at_80 = hash_at(engine, 80);
  CHECK(hash_at(engine, 40) == at_40);
  engine.document().select(Rect{-20, -20, 30, 30});
  engine.document().clear_selected();
  CHECK(engine.status().last_generation == 40);
  CHECK(engine.status().populations.back().last == 40);
  const std::uint64_t edited = engine.universe().hash(), later = hash_at(engine, 80);
  CHECK(later != at_80);
  // To the past and over the edit again: the edited future, by way of the edited state.
  hash_at(engine, 20);
  CHECK(hash_at(engine, 80) == later);
  hash_at(engine, 39);
  CHECK(hash_at(engine, 40) == edited);
  // Running on from the past makes a future without the edit.
  hash_at(engine, 20);
  engine.step(60), finish(engine);
  CHECK(engine.universe().hash() == at_80);
  CHECK(hash_at(engine, 40) == at_40);
  // And undo comes back to the run before.
  engine.undo();
  CHECK(engine.universe().hash() == edited);
}

TEST_CASE("going back works at full speed, after another rule and on another kernel") {
  Engine engine(cpu());
  start(engine);
  const std::uint64_t at_500 = hash_at(engine, 500);
  engine.run(true);
  while (engine.universe().generation() < 3000) engine.advance();
  engine.run(false);
  engine.use_backend("cpu", "word");
  CHECK(hash_at(engine, 500) == at_500);
  engine.set_rule("B36/S23:T96,80");
  hash_at(engine, 600);
  CHECK(hash_at(engine, 499) != at_500);
  CHECK(engine.universe().spec() == parse_rule_spec("B3/S23:T96,80"));
  engine.step(1), finish(engine);
  CHECK(engine.universe().hash() == at_500);
}

TEST_CASE("the least period is found, and none where nothing repeats") {
  for (const std::int64_t before : {0, 1, 37}) {
    for (const std::int64_t period : {1, 2, 3, 30, 97}) {
      PeriodFinder finder;
      for (std::int64_t i = 0; i < 1000; i++)
        finder.see_each(i,
                        static_cast<std::uint64_t>(i < before ? 1000 + i : (i - before) % period));
      CHECK(finder.period() == period);
    }
  }
  PeriodFinder none;
  for (std::int64_t i = 0; i < 1000; i++) none.see_each(i, static_cast<std::uint64_t>(i));
  for (std::int64_t i = 0; i < 1000; i += 2) none.see_each(i, 7);  // not one after the other
  CHECK(!none.period());
}
