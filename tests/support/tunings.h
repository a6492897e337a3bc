#pragma once

#include <cstdint>

#include "tests/support/kernels.h"

namespace tessera::test {

/// A tuning drawn from `seed`: every other one is the kernel's own choice, the rest takes any of
/// the values that its ranges declare; on the CPU also 1, 2, 3 or 7 threads.
Tuning draw_tuning(const Kernel& kernel, std::uint64_t seed);

}  // namespace tessera::test
