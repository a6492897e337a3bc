#include "backends/distributed/band_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera {

std::vector<BandRows> plan_bands(std::int64_t rows, const std::vector<double>& weights,
                                 std::int64_t least) {
  const auto parts = std::min<std::int64_t>(rows, static_cast<std::int64_t>(weights.size()));
  const std::int64_t base = std::clamp<std::int64_t>(least, 1, rows / parts);
  // Each part has its base; what is left is shared so that every band comes as near to its share of
  // all rows as the bases above it allow.
  const double sum = std::accumulate(weights.begin(), weights.begin() + parts, 0.0);
  std::vector<BandRows> bands;
  std::int64_t first = 0;
  double before = 0;
  for (std::int64_t i = 0; i < parts; i++) {
    before += weights[static_cast<std::size_t>(i)];
    const auto wanted =
        static_cast<std::int64_t>(std::llround(static_cast<double>(rows) * (before / sum)));
    const std::int64_t most = rows - base * (parts - 1 - i);
    const std::int64_t end = i + 1 == parts ? rows : std::clamp(wanted, first + base, most);
    bands.push_back({first, end - first});
    first = end;
  }
  return bands;
}

}  // namespace tessera
