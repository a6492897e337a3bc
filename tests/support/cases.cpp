#include "tests/support/cases.h"

#include <doctest/doctest.h>

#include <optional>

#include "apps/measure/shrink.h"
#include "tests/support/tunings.h"

namespace tessera::test {

namespace {

using Kind = VerifyResult::Kind;

VerifyResult run_small(const VerifyCase& trial, const BackendFactory& factory) {
  return run_case(trial, expected_states(trial, reference().factory()), factory);
}

}  // namespace

bool check_case(const VerifyCase& trial, const std::vector<VerifyState>& expected,
                const Kernel& kernel, const Tuning& tuning) {
  const BackendFactory factory = kernel.factory(tuning);
  const VerifyResult result = run_case(trial, expected, factory);
  if (result.kind == Kind::passed) {
    ran(kernel);
    return true;
  }
  if (result.kind == Kind::skipped) {
    skipped(kernel, result.message);
    return true;
  }
  const VerifyCase small = shrink(trial, [&](const VerifyCase& candidate) {
    return run_small(candidate, factory).kind == Kind::failed;
  });
  FAIL_CHECK(kernel.name() << ", " << to_string(tuning) << ", case " << trial.seed << ": "
                           << to_string(trial) << ": " << result.message << "\nshrunk: "
                           << to_string(small) << ": " << run_small(small, factory).message);
  return false;
}

void check_cases(std::uint64_t first_seed, std::int64_t count, double work) {
  int failures = 0;
  std::int64_t done = 0;
  for (std::uint64_t seed = first_seed; done < count; seed++) {
    const VerifyCase trial = make_case(seed);
    if (trial.work() > work) continue;
    done++;
    std::optional<std::vector<VerifyState>> expected;  // once somebody takes the case
    for (const Kernel& kernel : kernels_here()) {
      if (kernel.info.name == reference().info.name) continue;
      if (kernel.device.software && done % 256 != 1) {
        skipped(kernel, "an emulated device takes one random case of 256");
        continue;
      }
      if (!expected) expected = expected_states(trial, reference().factory());
      if (!check_case(trial, *expected, kernel, draw_tuning(kernel, seed)) && ++failures == 3)
        return;
    }
  }
}

}  // namespace tessera::test
