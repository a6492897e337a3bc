#include "backends/cpu/task_shares.h"

#include <algorithm>

namespace tessera {

namespace {

// Tasks whose speeds differ by less are equally fast: a clock tells no better, and rows that stay
// with a thread stay in its caches.
constexpr double kEqual = 0.93;
// Share of an equal part that the slowest task keeps, so that its speed goes on being measured.
constexpr std::int64_t kLeast = 8;
// Weight of the newest pass, after the first few. On 16 processors of a shared host whose speeds
// changed from second to second, 1/2 was better by 1 %; where nothing else runs, single passes
// mislead less.
constexpr double kNewest = 0.25;

}  // namespace

TaskShares::TaskShares(int most)
    : speeds_(static_cast<std::size_t>(most), 1.0), seconds_(static_cast<std::size_t>(most)) {}

void TaskShares::learn() {
  const std::size_t tasks = cuts_.size() - 1;
  if (std::any_of(seconds_.begin(), seconds_.begin() + std::ssize(cuts_) - 1,
                  [](double seconds) { return seconds <= 0; }))
    return;
  double sum = 0, known = 0;
  for (std::size_t i = 0; i < tasks; i++) sum += speed(i), known += speeds_[i];
  const double newest = std::max(kNewest, 1 / (1.0 + static_cast<double>(++learnt_)));
  // Beside each other: all may be slower in one pass than in the next, or under another rule.
  for (std::size_t i = 0; i < tasks; i++)
    speeds_[i] += newest * (speed(i) / sum * known - speeds_[i]);
}

// Rows per second, in the pass before.
double TaskShares::speed(std::size_t task) const {
  return static_cast<double>(cuts_[task + 1] - cuts_[task] + again_) / seconds_[task];
}

const std::vector<std::int64_t>& TaskShares::cut(std::int64_t rows, int tasks, std::int64_t again) {
  if (!cuts_.empty()) learn();
  std::ranges::fill(seconds_, 0.0);
  again_ = again;
  cuts_.assign(static_cast<std::size_t>(tasks) + 1, 0);
  cuts_.back() = rows;
  double sum = 0;
  for (int i = 0; i < tasks; i++) sum += speeds_[static_cast<std::size_t>(i)];
  const auto [slowest, fastest] = std::minmax_element(speeds_.begin(), speeds_.begin() + tasks);
  const bool equal = *slowest >= kEqual * *fastest;
  const std::int64_t least = std::max<std::int64_t>(1, rows / tasks / kLeast);
  const auto stepped = static_cast<double>(rows + again * tasks);
  double before = 0;  // speeds of the tasks above
  for (int i = 1; i < tasks; i++) {
    before += speeds_[static_cast<std::size_t>(i - 1)];
    const auto wanted = static_cast<std::int64_t>(stepped * before / sum) - again * i;
    const std::int64_t at = equal ? rows * i / tasks : wanted;
    cuts_[static_cast<std::size_t>(i)] =
        std::clamp(at, cuts_[static_cast<std::size_t>(i - 1)] + least, rows - least * (tasks - i));
  }
  return cuts_;
}

}  // namespace tessera
