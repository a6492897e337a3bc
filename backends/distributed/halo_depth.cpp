#include "backends/distributed/halo_depth.h"

#include <algorithm>
#include <cmath>

namespace tessera {

std::int64_t choose_halo(std::int64_t width, std::int64_t most, const HaloCosts& costs) {
  const double best = std::sqrt(costs.exchange_seconds * costs.cells_per_second /
                                (costs.rows_again * static_cast<double>(width)));
  auto depth = static_cast<std::int64_t>(std::clamp(best, 1.0, static_cast<double>(costs.deepest)));
  depth = std::min(depth, most);
  for (const std::int64_t unit : {std::int64_t{32}, std::int64_t{8}}) {
    if (depth >= unit) return std::min((depth + unit / 2) / unit, most / unit) * unit;
  }
  return std::max<std::int64_t>(1, depth);
}

}  // namespace tessera
