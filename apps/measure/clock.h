#pragma once

#include <chrono>

namespace tessera {

/// Tells time to whoever measures, so that tests can give it a time of their own.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Seconds since some moment that stays the same.
  virtual double now() const = 0;
};

/// The time on the wall, never set back.
class WallClock final : public Clock {
 public:
  double now() const override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

}  // namespace tessera
