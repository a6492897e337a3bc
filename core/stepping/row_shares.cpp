#include "core/stepping/row_shares.h"

#include <algorithm>

namespace tessera {

namespace {

// Parts whose speeds differ by less are taken to be equally fast: clocks tell no better, and rows
// that stay where they are stay in the caches there.
constexpr double kEqual = 0.93;
// Weight of what was learnt last, after the first times. On 16 processors of a shared host whose
// speeds changed from second to second, 1/2 was better by 1 %; where nothing else runs, single
// passes mislead less.
constexpr double kNewest = 0.25;

std::int64_t rows_of(std::span<const std::int64_t> cuts, std::size_t part) {
  return cuts[part + 1] - cuts[part];
}

}  // namespace

RowShares::RowShares(int most) : speeds_(static_cast<std::size_t>(most), 1.0) {}

std::vector<std::int64_t> RowShares::cut(std::int64_t rows, int parts, std::int64_t again,
                                         std::int64_t least) const {
  const auto count = static_cast<std::size_t>(parts);
  double sum = 0;
  for (std::size_t i = 0; i < count; i++) sum += speeds_[i];
  const auto [slowest, fastest] = std::minmax_element(speeds_.begin(), speeds_.begin() + parts);
  const bool equal = *slowest >= kEqual * *fastest;
  const auto stepped = static_cast<double>(rows + again * parts);
  std::vector<std::int64_t> cuts(count + 1);
  double above = 0;  // speeds
  for (int i = 1; i < parts; i++) {
    const auto next = static_cast<std::size_t>(i);
    above += speeds_[next - 1];
    const std::int64_t wanted =
        equal ? rows * i / parts : static_cast<std::int64_t>(stepped * above / sum) - again * i;
    cuts[next] = std::clamp(wanted, cuts[next - 1] + least, rows - least * (parts - i));
  }
  cuts[count] = rows;
  return cuts;
}

void RowShares::learn(std::span<const std::int64_t> cuts, std::int64_t again,
                      std::span<const double> seconds) {
  if (std::ranges::any_of(seconds, [](double each) { return each <= 0; })) return;
  const auto speed = [&](std::size_t part) {
    return static_cast<double>(rows_of(cuts, part) + again) / seconds[part];
  };
  double sum = 0, known = 0;
  for (std::size_t i = 0; i < seconds.size(); i++) sum += speed(i), known += speeds_[i];
  const double newest = std::max(kNewest, 1 / static_cast<double>(++learnt_));
  // Beside each other: all may be slower one time than the next, or under another rule.
  for (std::size_t i = 0; i < seconds.size(); i++)
    speeds_[i] += newest * (speed(i) / sum * known - speeds_[i]);
}

double RowShares::slowest(std::span<const std::int64_t> cuts, std::int64_t again) const {
  double most = 0;
  for (std::size_t i = 0; i + 1 < cuts.size(); i++)
    most = std::max(most, static_cast<double>(rows_of(cuts, i) + again) / speeds_[i]);
  return most;
}

}  // namespace tessera
