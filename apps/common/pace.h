#pragma once

#include <algorithm>
#include <cstdint>

namespace tessera {

/// How many generations to step before looking up: as many as take about a tenth of a second (or
/// what else is said), so that a run can be stopped soon, and whole launches of the kernel where
/// that is more than one.
class Pace {
 public:
  static constexpr double kBlockSeconds = 0.1;

  /// Begins with what a slow device might do in that time. `cells`: cell updates per generation.
  /// `launch`: generations per launch of the kernel, or 0. `block_seconds`: how long a block may
  /// take.
  Pace(double cells, int launch, double block_seconds = kBlockSeconds)
      : launch_(std::max(1, launch)),
        block_seconds_(block_seconds),
        generations_(static_cast<std::int64_t>(std::max(1.0, kFirstCells / std::max(1.0, cells)))) {
  }

  /// Generations to step next.
  std::int64_t generations() const {
    return generations_ > launch_ ? generations_ / launch_ * launch_ : generations_;
  }

  /// Generations that fit into `seconds`, at least 1, by what was seen so far.
  std::int64_t within(double seconds) const {
    if (seconds_a_generation_ <= 0) return generations();
    const double fit = std::clamp(seconds / seconds_a_generation_, 1.0, 1e18);
    return std::min(generations(), static_cast<std::int64_t>(fit));
  }

  /// What a block took. Blocks grow fourfold at most, since the first ones also pay for warming up,
  /// and shrink at once.
  void took(std::int64_t generations, double seconds) {
    seconds_a_generation_ = seconds / static_cast<double>(generations);
    const double fit = block_seconds_ / std::max(seconds_a_generation_, 1e-18);
    const double most = 4.0 * static_cast<double>(std::max(generations, generations_));
    generations_ = static_cast<std::int64_t>(std::clamp(std::min(fit, most), 1.0, 1e18));
  }

 private:
  static constexpr double kFirstCells = 1e8;

  std::int64_t launch_;
  double block_seconds_;
  std::int64_t generations_;
  double seconds_a_generation_ = 0;
};

}  // namespace tessera
