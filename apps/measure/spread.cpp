#include "apps/measure/spread.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tessera {

Spread spread_of(std::vector<double> runs) {
  if (runs.empty()) throw std::invalid_argument("spread_of: no runs");
  Spread out;
  out.runs = std::move(runs);
  std::vector<double> sorted = out.runs;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  out.median = sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  out.lowest = sorted.front();
  out.highest = sorted.back();
  return out;
}

Spread inverse(const Spread& times, double factor) {
  const auto rate = [&](double time) { return time > 0 ? factor / time : 0; };
  Spread out{rate(times.median), rate(times.highest), rate(times.lowest), {}};
  for (const double time : times.runs) out.runs.push_back(rate(time));
  return out;
}

}  // namespace tessera
