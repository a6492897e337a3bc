#pragma once

#include <chrono>

namespace tessera {

/// A clock for measurements, which tests can replace.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Seconds since a fixed moment.
  virtual double now() const = 0;
};

/// Wall time that is never set back.
class WallClock final : public Clock {
 public:
  double now() const override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

}  // namespace tessera
