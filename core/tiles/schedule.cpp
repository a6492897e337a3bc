#include "core/tiles/schedule.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/tiles/tile.h"

namespace tessera {

namespace {

// `sum` cut into parts that differ by one at most.
void cut(std::int64_t sum, std::int64_t parts, int unit, std::vector<int>& out) {
  for (std::int64_t left = parts; left > 0; left--) {
    const std::int64_t part = (sum + left - 1) / left;
    out.push_back(static_cast<int>(part) * unit);
    sum -= part;
  }
}

}  // namespace

Schedule::Schedule(std::vector<int> lengths)
    : lengths_(std::move(lengths)),
      period_(std::accumulate(lengths_.begin(), lengths_.end(), std::int64_t{0})) {}

Schedule Schedule::of_period(std::int64_t period, const SchedulePace& pace) {
  const int unit = period % 2 == 0 && period >= 6 && pace.most > 1 ? 2 : 1;
  const std::int64_t most = pace.most / unit, sum = period / unit;
  std::vector<int> lengths;
  cut(sum, std::max<std::int64_t>(3, (sum + most - 1) / most), unit, lengths);
  return Schedule(std::move(lengths));
}

Schedule Schedule::of_slots(int slots, const SchedulePace& pace) {
  return Schedule(std::vector<int>(static_cast<std::size_t>(slots), pace.most));
}

Schedule Schedule::beginning_with(int generations, const SchedulePace& pace) {
  const int odd = pace.even ? (generations + pace.most) % 2 : 0;
  return Schedule({generations, pace.most - odd});
}

Schedule Schedule::of_stride(std::int64_t stride, int most_slots, const SchedulePace& pace) {
  const std::int64_t parts = (stride + pace.most - 1) / pace.most;
  // A whole number of times the usual period where that is not too long.
  std::int64_t times = std::lcm(stride, kUsualPeriod) / stride;
  if (times * stride > 4 * kUsualPeriod) times = (kUsualPeriod + stride - 1) / stride;
  if (times * parts > most_slots) {
    times = std::max<std::int64_t>(1, most_slots / parts);
    // An even period serves blinkers.
    if (times > 1 && times * stride % 2 != 0) times--;
  }
  while (times * parts < std::min(3, most_slots)) times++;
  if (pace.even && times * stride % 2 != 0) times++;
  std::vector<int> lengths;
  for (std::int64_t i = 0; i < times; i++) cut(stride, parts, 1, lengths);
  return Schedule(std::move(lengths));
}

bool Schedule::serves(std::int64_t stride) const {
  // The ends of the steps within lcm(stride, period) are those of the slots, or the other way
  // round.
  if (stride % period_ == 0) return true;
  if (period_ % stride != 0) return false;
  std::int64_t at = 0;
  for (const int length : lengths_) {
    if (at / stride != (at + length) / stride && (at + length) % stride != 0) return false;
    at += length;
  }
  return true;
}

}  // namespace tessera
