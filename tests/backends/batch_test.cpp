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
#include "tests/support/batch_trial.h"
#include "tests/support/kernels.h"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("the CPU's batches, whatever shares a vector, step as the reference does") {
  reference();  // the driver hears which instruction set TESSERA_VECTORS asks for
  const std::int64_t cases = case_count(120);
  for (std::int64_t i = 0; i < cases; i++) {
    BatchTrial trial = batch_trial(static_cast<std::uint64_t>(i), 140, 1300);
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
    check_batch(trial, batch);
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
      BatchTrial trial = batch_trial(1'000'000 + static_cast<std::uint64_t>(i), 70, 200);
      if (i % 3 != 0 && speed_of(kernel) == Speed::fast) {
        RuleSpec rule = parse_rule_spec(std::string("B3/S23:") + sizes[i % std::size(sizes)]);
        rule.rule = trial.spec.each.rule;
        trial.spec.each = backend_spec(rule);
      }
      if (!supports(kernel, trial.spec.each)) continue;
      check_batch(trial, *make_batch(kernel.backend(), "auto", trial.spec, {}));
      if (i % 2 == 0 &&
          (kernel.backend().starts_with("cuda") ||
           (kernel.backend().starts_with("vulkan") && trial.spec.each.rule.outer_totalistic())))
        check_batch(trial, *make_batch(kernel.backend(), "sliced", trial.spec, {}));
      ran(kernel);
    }
  }
}

TEST_CASE("universes step one after the other on any kernel") {
  for (const Kernel& kernel : kernels_here()) {
    if (!is_single(kernel)) continue;
    for (std::uint64_t i = 0; i < 3; i++) {
      const BatchTrial trial = batch_trial(2'000'000 + i, 50, 4);
      if (!supports(kernel, trial.spec.each)) continue;
      GridsBatch batch(trial.spec, kernel.create(trial.spec.each));
      check_batch(trial, batch);
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
