#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/stepping/driver.h"

namespace tessera {

/// What all hardware threads together can do at most: Life's gates on registers in each of them,
/// and a copy of memory far larger than the caches. Takes about half a second.
Ceiling measure_cpu_ceiling();

/// The clock rate that the system tells of the first processor, where it tells one.
std::vector<std::pair<std::string, std::string>> cpu_clocks();

}  // namespace tessera
