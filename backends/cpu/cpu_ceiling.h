#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/stepping/driver.h"

namespace tessera {

/// The peak rates of all hardware threads together: Life's gates on registers, and a copy of memory
/// far larger than the caches. Takes about half a second.
Ceiling measure_cpu_ceiling();

/// The clock rate of the first processor, where the system reports it.
std::vector<std::pair<std::string, std::string>> cpu_clocks();

}  // namespace tessera
