#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "apps/measure/run_case.h"
#include "apps/measure/shrink.h"
#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/stepping/backend_spec.h"
#include "faulty_backend.h"

using namespace tessera;

namespace {

using Kind = VerifyResult::Kind;

const BackendFactory kReference = make_factory("cpu", "reference", {});

BackendFactory with(const Faults& faults) {
  return [faults](const BackendSpec& spec) {
    return std::make_unique<FaultyBackend>(spec, kReference(spec), faults);
  };
}

VerifyResult run(const VerifyCase& trial, const BackendFactory& factory) {
  return run_case(trial, expected_states(trial, kReference), factory);
}

VerifyCase sample() {
  VerifyCase trial;
  trial.seed = 5;
  trial.rule = parse_rule_spec("B3/S23:T70,40");
  trial.soup = {9, 30000};
  trial.steps = {8, 9, 3};
  return trial;
}

}  // namespace

TEST_CASE("a case depends on its seed alone and cases cover what they promise") {
  std::set<std::string> seen;
  bool infinite = false, torus = false, plane = false, seam = false, b0 = false,
       b0_infinite = false, turns = false, far_turns = false, tube = false, strip = false,
       ranged = false, filed = false, edited = false, none = false, wide = false, tall = false,
       at_word = false;
  for (std::uint64_t seed = 0; seed < 2000; seed++) {
    const VerifyCase trial = make_case(seed);
    REQUIRE(to_string(trial) == to_string(make_case(seed)));
    seen.insert(to_string(trial));
    const Rect rect = trial.soup_rect();
    REQUIRE(rect.width >= 1);
    REQUIRE(rect.height >= 1);
    REQUIRE(!trial.steps.empty());
    REQUIRE(trial.work() <= 0x1p25);
    REQUIRE(parse_rule_spec(to_string(trial.rule)) == trial.rule);
    if (trial.edit) REQUIRE(rect.contains(trial.edit->rect));
    infinite |= trial.rule.topology == Topology::infinite;
    torus |= trial.rule.topology == Topology::torus;
    plane |= trial.rule.topology == Topology::plane;
    seam |= !backend_spec(trial.rule).plain_edges();
    b0 |= trial.rule.has_b0();
    b0_infinite |= !trial.rule.has_edges() && trial.rule.has_b0();
    tube |= trial.rule.half_infinite() && trial.rule.topology == Topology::torus;
    strip |= trial.rule.half_infinite() && trial.rule.topology == Topology::plane;
    turns |= trial.rule.odd_rule.has_value();
    far_turns |= trial.rule.odd_rule && trial.rule.odd_rule->ranged();
    ranged |= trial.rule.rule.ranged();
    filed |= trial.rule.rule.from_file();
    edited |= trial.edit.has_value();
    none |= trial.steps.front() == 0;
    wide |= rect.width > 4000;
    tall |= rect.height > 4000;
    at_word |= rect.width % 64 == 0;
  }
  CHECK(seen.size() == 2000);
  CHECK((infinite && tube && strip && torus && plane && seam && b0 && b0_infinite && turns &&
         far_turns && ranged && filed && edited && none && wide && tall && at_word));
}

TEST_CASE("the reference passes its own cases") {
  for (std::uint64_t seed = 1; seed <= 20; seed++) {
    CAPTURE(seed);
    const VerifyResult result = run(make_case(seed), kReference);
    CHECK_MESSAGE(result.kind == Kind::passed, result.message);
  }
}

TEST_CASE("every kind of wrong answer is found and named") {
  const std::pair<Faults, std::string> faults[] = {
      {{.wrong_from = 9}, "generation 17: cell (34, 19) is "},
      {{.population = 1}, "generation 0: the population is "},
      {{.hash = 1}, "generation 0: the hash is "},
      {{.bounds = true},
       "generation 0: the bounds are [-35, -20, 35, 19], the reference says [-35, -20, 34, 19]"},
      {{.view = true}, "generation 0: the view of "},
      {{.part = true}, "generation 0: cell ("},
      {{.throws = true}, "generation 0: the device is on fire"},
  };
  for (const auto& [fault, beginning] : faults) {
    const std::string& message = beginning;
    CAPTURE(message);
    const VerifyResult result = run(sample(), with(fault));
    CHECK(result.kind == Kind::failed);
    CHECK_MESSAGE(result.message.starts_with(message), result.message);
  }
}

TEST_CASE("faults on the infinite plane are found, too, and growing is judged") {
  VerifyCase trial = sample();
  trial.rule = parse_rule_spec("B3/S23");
  trial.patch = {-77, 1000000000000, 50, 60};
  trial.steps = {40, 60};
  CHECK(run(trial, kReference).kind == Kind::passed);
  CHECK(run(trial, with({.wrong_from = 1})).kind == Kind::failed);
  CHECK(run(trial, with({.hash = 1})).kind == Kind::failed);
  trial.edit = VerifyEdit{{-70, 1000000000003, 5, 5}, {1, 65536}};
  CHECK(run(trial, kReference).kind == Kind::passed);
}

TEST_CASE("a backend that does not take a case skips it with the reason") {
  const BackendFactory picky = [](const BackendSpec& spec) -> std::unique_ptr<StepBackend> {
    if (spec.width % 64 != 0) throw UnsupportedError("the width must be a multiple of 64");
    return kReference(spec);
  };
  const VerifyResult result = run(sample(), picky);
  CHECK(result.kind == Kind::skipped);
  CHECK(result.message == "the width must be a multiple of 64");
}

TEST_CASE("a failing case is shrunk to the smallest that fails") {
  const auto shrunk_by = [](const VerifyCase& trial, const Faults& faults) {
    return shrink(trial,
                  [&](const VerifyCase& c) { return run(c, with(faults)).kind == Kind::failed; });
  };
  VerifyCase trial = sample();
  trial.edit = VerifyEdit{{0, 0, 3, 3}, {1, 65536}};
  const VerifyCase a = shrunk_by(trial, {.wrong_from = 9});
  CHECK(to_string(a) == "B3/S23:T1,1, soup 0.5 seed 1, generations 9");
  const VerifyCase b = shrunk_by(trial, {.population = 1});
  CHECK(b.generations() == 0);
  CHECK(b.rule.width * b.rule.height == 1);
  trial.rule = parse_rule_spec("B3/S23");
  trial.patch = {500, -500, 20, 30};
  trial.edit.reset();
  const VerifyCase c = shrunk_by(trial, {.hash = 1});
  CHECK(c.patch == Rect{0, 0, 1, 1});

  int asked = 0;
  shrink(
      trial, [&](const VerifyCase&) { return ++asked > 0; }, 3);
  CHECK(asked == 3);
}

TEST_CASE("a case is told in one line") {
  VerifyCase trial = sample();
  CHECK(to_string(trial) == "B3/S23:T70,40, soup 0.457763671875 seed 9, generations 8+9+3");
  trial.rule = parse_rule_spec("B36/S23");
  trial.patch = {-3, 4, 5, 6};
  trial.edit = VerifyEdit{{-3, 4, 2, 1}, {7, 65536}};
  CHECK(to_string(trial) ==
        "B36/S23, soup 0.457763671875 seed 9 at -3,4,5x6, generations 8+9+3, after the first of "
        "which -3,4,2x1 "
        "becomes soup 1 seed 7");
}
