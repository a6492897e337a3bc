#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/stepping/driver.h"

namespace tessera {

/// The peak rates of all hardware threads together: Life's gates on registers, and a copy of memory
/// far larger than the caches. Takes about half a second.
Ceiling measure_cpu_ceiling();

/// Cells per second of Life by its gates alone, on registers, of so many threads at the same time.
double life_ceiling(int threads, double seconds);

/// The clock rate of the first processor, where the system reports it.
std::vector<std::pair<std::string, std::string>> cpu_clocks();

}  // namespace tessera
