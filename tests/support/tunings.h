#pragma once

#include <cstdint>
#include <vector>

#include "tests/support/kernels.h"

namespace tessera::test {

/// Values to try for a parameter, ascending: all its candidates, or a few small ones of its range.
std::vector<int> values_of(const TuningParameter& parameter);

/// A tuning drawn from `seed`: every other one is the kernel's own choice, the rest takes any
/// `values_of` each parameter.
Tuning draw_tuning(const Kernel& kernel, std::uint64_t seed);

}  // namespace tessera::test
