#pragma once

#include <chrono>
#include <cstdint>

#include "core/universe.h"

namespace tessera {

/// How fast a universe is stepped, found twice a second.
class SteppingRate {
 public:
  using Clock = std::chrono::steady_clock;

  /// Counts steps from now on.
  void begin(const Universe& universe, Clock::time_point now);
  /// Looks at the counts when half a second has passed. What does not run has no rate.
  void look(const Universe& universe, bool running, Clock::time_point now);

  double generations_per_second() const { return generations_per_second_; }
  double cells_per_second() const { return cells_per_second_; }  ///< cell updates

 private:
  Clock::time_point began_{};
  std::int64_t generation_ = 0;  // then
  double cells_ = 0;             // stepped until then
  double generations_per_second_ = 0, cells_per_second_ = 0;
};

}  // namespace tessera
