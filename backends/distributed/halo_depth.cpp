#include "backends/distributed/halo_depth.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

std::optional<std::int64_t> quickest_halo(
    std::int64_t most, double exchange_seconds,
    const std::function<std::optional<double>(std::int64_t)>& seconds) {
  constexpr std::int64_t kUnit = 32;
  constexpr double kWorthwhile = 0.999;
  std::optional<std::int64_t> best;
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t depth = kUnit; depth <= most; depth += kUnit) {
    const std::optional<double> stepping = seconds(depth);
    if (!stepping) continue;
    const double each = (*stepping + exchange_seconds) / static_cast<double>(depth);
    if (each < kWorthwhile * least) best = depth, least = each;
  }
  return best;
}

}  // namespace tessera
