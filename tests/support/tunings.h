#pragma once

#include <cstdint>
#include <string>

#include "tests/support/steppers.h"

namespace tessera::test {

/// The member of `tuning` that a TuningRange calls `field`; throws std::out_of_range for another
/// name.
int& field_of(Tuning& tuning, const std::string& field);

/// A tuning drawn from `seed`: every other one is the kernel's own choice, the rest takes any of
/// the values that its ranges declare; on the CPU also 1, 2, 3 or 7 threads.
Tuning draw_tuning(const Stepper& stepper, std::uint64_t seed);

/// "generations=4 rows=8 threads=3", zeros left out.
std::string to_string(const Tuning& tuning);

}  // namespace tessera::test
