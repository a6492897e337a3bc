#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace tessera {

/// How fast a simulation should run: 1, 2, 5, 10, ... steps per second, or as fast as possible.
class Speed {
 public:
  static constexpr int kLevels = 20;  ///< the last of which is "as fast as possible"

  explicit Speed(int level = kLevels - 1);
  int level() const { return level_; }
  bool unlimited() const { return level_ == kLevels - 1; }
  double per_second() const;
  /// "50 gen/s", or "50 steps/s" where steps have more than one generation, or "max".
  std::string text(std::int64_t step) const;

 private:
  int level_;
};

/// Computes how many generations are due at a speed. A delay beyond a quarter of a second is
/// forgotten and not caught up.
class Throttle {
 public:
  using Clock = std::chrono::steady_clock;

  /// Counts from now, when `generation` is reached, in steps of `step` generations.
  void start(Speed speed, std::int64_t step, Clock::time_point now, std::int64_t generation);
  /// Generations that are due at `now`: 0 or more; "all" (2^62) when the speed has no limit.
  std::int64_t due(Clock::time_point now, std::int64_t generation);
  /// When the next generation is due.
  Clock::time_point next(std::int64_t generation) const;

 private:
  Speed speed_;
  std::int64_t step_ = 1;
  Clock::time_point began_{};
  std::int64_t first_ = 0;
};

}  // namespace tessera
