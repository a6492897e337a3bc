#pragma once

#include <cstdint>

#include "apps/measure/run_case.h"
#include "apps/measure/verify_case.h"
#include "tests/support/kernels.h"

namespace tessera::test {

/// Runs a case on one kernel and counts it; a difference is reduced to a small case and reported
/// with its seed, universe, steps and tuning. Returns false when it failed.
bool check_case(const VerifyCase& trial, const std::vector<VerifyState>& expected,
                const Kernel& kernel, const Tuning& tuning);

/// Runs the first `count` cases from `first_seed` on whose reference takes at most `work` cell
/// updates, on every kernel but the reference, each under a tuning of its own; gives up after a
/// few failures. An emulated device takes one case of 256 only, and the report says so.
void check_cases(std::uint64_t first_seed, std::int64_t count, double work);

}  // namespace tessera::test
