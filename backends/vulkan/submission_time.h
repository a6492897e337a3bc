#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/vulkan/commands.h"

namespace tessera::vulkan {

/// The most cell updates of a submission, so that it takes 50 ms: a desktop's watchdog acts after a
/// second or more, and a user notices 100 ms. `work_cells` are those of a unit of the work that
/// `commands` times.
inline double submission_cells(const Commands& commands, bool software, double work_cells) {
  constexpr double kSeconds = 0.05;
  // Cell updates per second to expect before the first measurement; no device is a hundred times
  // slower.
  constexpr double kExpectedRate = 2e10, kExpectedSoftwareRate = 5e8;
  const double expected = software ? kExpectedSoftwareRate : kExpectedRate;
  const double rate = commands.work_rate() > 0 ? commands.work_rate() * work_cells : expected;
  return std::min(rate * kSeconds, 1e18);
}

}  // namespace tessera::vulkan
