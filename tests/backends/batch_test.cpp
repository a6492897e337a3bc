// Batches: every universe is the same soup stepped alone by the reference.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/batches.h"
#include "backends/cpu/compiled_stepper.h"
#include "backends/cpu/strip_batch.h"
#include "core/base/error.h"
#include "core/stepping/backend_spec.h"
#include "core/stepping/grids_batch.h"
#include "tests/support/kernels.h"

using namespace tessera;
using namespace tessera::test;

namespace {

// Counts, B0, an isotropic rule, a MAP that knows left from right and up from down.
const char* const kRules[] = {
    "B3/S23",
    "B36/S125",
    "B0/S7",
    "B1357/S1357",
    "B2-a/S12",
    "MAPARYXfhZofugWaH7oaIDogBZofuhogOiAaIDogIAAgAAWaH7oaIDogGiA6ICAAIAAaIDogIAAgACAAIAAAAAAAA"};

struct Draw {
  std::uint64_t state;
  std::int64_t operator()(std::int64_t n) {
    state += 0x9E3779B97F4A7C15;
    return static_cast<std::int64_t>(mix64(state) % static_cast<std::uint64_t>(n));
  }
};

struct Trial {
  BatchSpec spec;
  Soup soup;
  std::vector<std::int64_t> steps;

  std::string text() const {
    return fmt::format("{} universes, {} {}x{} of {}, seed {}, steps {}", spec.universes,
                       spec.each.boundary == Boundary::torus ? "tori" : "planes", spec.each.width,
                       spec.each.height, to_string(spec.each.rule), soup.seed, steps.size());
  }
};

Trial trial_of(std::uint64_t seed, std::int64_t most_side, std::int64_t most_universes) {
  Draw draw{seed * 0x1000};
  const auto side = [&] { return 1 + draw(draw(3) == 0 ? 5 : most_side); };
  Trial trial;
  RuleSpec rule = parse_rule_spec(kRules[draw(std::ssize(kRules))]);
  rule.topology = draw(2) == 0 ? Topology::torus : Topology::plane;
  rule.width = side(), rule.height = side();
  trial.spec.each = backend_spec(rule);
  trial.spec.universes = 1 + draw(draw(2) == 0 ? 10 : most_universes);
  trial.soup = Soup::of(0.5, static_cast<std::uint64_t>(draw(1000)));
  for (std::int64_t i = 1 + draw(3); i > 0; i--) trial.steps.push_back(1 + draw(25));
  return trial;
}

// The first, the last, and some in between where the reference would take long.
std::vector<std::int64_t> watched(const Trial& trial) {
  const std::int64_t all = trial.spec.universes;
  const std::int64_t cells = trial.spec.each.width * trial.spec.each.height;
  const std::int64_t most = std::clamp<std::int64_t>(40'000 / cells, 3, 60);
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < std::min(all, most); i++)
    out.push_back(all <= most ? i : i * (all - 1) / (most - 1));
  return out;
}

// Steps the batch beside the reference; `batch` has all cells dead.
void check(const Trial& trial, Batch& batch) {
  INFO(trial.text());
  INFO(batch.info().by.kernel, ", ", batch.info().packing, ", ", to_string(batch.info().by.tuning));
  const auto judge = reference().create(trial.spec.each);
  batch.fill(trial.soup);
  for (const std::int64_t steps : trial.steps) batch.step(steps);
  batch.synchronize();
  const std::vector<Survey> found = batch.survey(kWholeSurvey);
  const std::vector<Survey> counted = batch.survey({.population = true});
  REQUIRE(std::ssize(found) == trial.spec.universes);
  for (const std::int64_t universe : watched(trial)) {
    INFO("universe ", universe);
    Soup soup = trial.soup;
    soup.seed += static_cast<std::uint64_t>(universe);
    judge->fill(soup);
    for (const std::int64_t steps : trial.steps) judge->step(steps);
    const auto at = static_cast<std::size_t>(universe);
    REQUIRE(found[at] == judge->survey(kWholeSurvey));
    REQUIRE(counted[at].population == found[at].population);
    REQUIRE(batch.download(universe) == judge->download());
  }
}

}  // namespace

TEST_CASE("the CPU's batches, whatever shares a vector, step as the reference does") {
  reference();  // the driver hears which instruction set TESSERA_VECTORS asks for
  const std::int64_t cases = case_count(120);
  for (std::int64_t i = 0; i < cases; i++) {
    Trial trial = trial_of(static_cast<std::uint64_t>(i), 140, 1300);
    Draw draw{static_cast<std::uint64_t>(i)};
    Tuning tuning;
    tuning.threads = 1 + static_cast<int>(draw(3));
    if (draw(2) == 0) tuning.generations = draw(2) == 0 ? 1 : 8;
    const bool compiled =
        !CompiledStepper::missing() && (!trial.spec.each.rule.outer_totalistic() || draw(2) == 0);
    if (StripBatch::unsupported(trial.spec, compiled)) continue;
    const StripTenants tenants[] = {StripTenants::bits, StripTenants::lanes, StripTenants::one};
    const StripTenants own = tenants[i % 3];
    // One universe alone in a buffer of its own: fewer of them.
    if (own == StripTenants::one)
      trial.spec.universes = std::min<std::int64_t>(trial.spec.universes, 40);
    StripBatch batch(trial.spec, {"cpu", "", compiled ? "compiled" : "simd", {}},
                     StripBatch::plan(trial.spec, tuning, compiled, own), compiled);
    check(trial, batch);
  }
}

// Sizes that GPUs keep in registers, and any others.
TEST_CASE("every device steps batches as the reference does") {
  const char* const sizes[] = {"T16,16",  "P16,16",   "T64,64",   "P64,64",   "T256,256",
                               "P256,64", "T30,20",   "T512,512", "T1,7",     "P96,5",
                               "T37,41",  "P128,768", "T33,1",    "P100,100", "T1024,64"};
  for (const Kernel& kernel : kernels_here()) {
    if (!is_single(kernel) || !kernel.preferred) continue;
    const std::int64_t cases = case_count(speed_of(kernel) == Speed::fast ? 24 : 4);
    for (std::int64_t i = 0; i < cases; i++) {
      Trial trial = trial_of(1'000'000 + static_cast<std::uint64_t>(i), 70, 200);
      if (i % 3 != 0 && speed_of(kernel) == Speed::fast) {
        RuleSpec rule = parse_rule_spec(std::string("B3/S23:") + sizes[i % std::size(sizes)]);
        rule.rule = trial.spec.each.rule;
        trial.spec.each = backend_spec(rule);
      }
      if (!supports(kernel, trial.spec.each)) continue;
      check(trial, *make_batch(kernel.backend(), "auto", trial.spec, {}));
      if (kernel.backend().starts_with("cuda") && i % 2 == 0)
        check(trial, *make_batch(kernel.backend(), "sliced", trial.spec, {}));
      ran(kernel);
    }
  }
}

TEST_CASE("universes step one after the other on any kernel") {
  for (const Kernel& kernel : kernels_here()) {
    if (!is_single(kernel)) continue;
    for (std::uint64_t i = 0; i < 3; i++) {
      const Trial trial = trial_of(2'000'000 + i, 50, 4);
      if (!supports(kernel, trial.spec.each)) continue;
      GridsBatch batch(trial.spec, kernel.create(trial.spec.each));
      check(trial, batch);
      ran(kernel);
    }
  }
}

TEST_CASE("a batch holds what it is given, and steps nothing in no generations") {
  for (const std::int64_t universes : {1, 8, 9, 64, 65, 512, 513}) {
    BatchSpec spec{universes, backend_spec(parse_rule_spec("B3/S23:P70,3"))};
    for (const char* kernel : {"auto", "reference"}) {
      const auto batch = make_batch("cpu", kernel, spec, {});
      batch->load([&](std::int64_t u) {
        return make_soup(Soup::of(0.3, static_cast<std::uint64_t>(u * u)), 70, 3);
      });
      batch->step(0);
      for (const std::int64_t u : {std::int64_t{0}, universes / 2, universes - 1}) {
        REQUIRE(batch->download(u) ==
                CellGrid(make_soup(Soup::of(0.3, static_cast<std::uint64_t>(u * u)), 70, 3)));
      }
    }
  }
}

TEST_CASE("what no batch can be is refused before anything is allocated") {
  BatchSpec spec{1, backend_spec(parse_rule_spec("B3/S23:T16,16"))};
  for (const std::int64_t universes : {std::int64_t{0}, std::int64_t{-1}, kMostUniverses + 1}) {
    spec.universes = universes;
    CHECK_THROWS_AS(make_batch("cpu", "auto", spec, {}), InputError);
  }
  spec.universes = kMostUniverses;
  spec.each.width = spec.each.height = std::int64_t{1} << 20;
  CHECK_THROWS_AS(make_batch("cpu", "auto", spec, {}), InputError);
  spec.universes = 1000;
  spec.each.width = spec.each.height = 1000;
  spec.each.max_memory = 1 << 20;
  CHECK_THROWS_AS(make_batch("cpu", "auto", spec, {}), UnsupportedError);
  CHECK_THROWS_AS(make_batch("cpu", "reference", spec, {}), UnsupportedError);
  spec.each.max_memory = 0;
  CHECK_THROWS_AS(make_batch("cpu*2", "auto", spec, {}), InputError);
  spec.universes = 2;
  spec.each.width = spec.each.height = 10;
  const auto batch = make_batch("cpu", "auto", spec, {});
  CHECK_THROWS_AS(batch->download(2), InputError);
  CHECK_THROWS_AS(batch->load([](std::int64_t) { return CellGrid(10, 11); }), InputError);
  CHECK_THROWS_AS(batch->step(-1), InputError);
  CHECK_THROWS_AS(batch->fill({1, 32768, 3}), InputError);
}
