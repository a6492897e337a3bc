#include "apps/viewer/simulation/speed.h"

#include <algorithm>
#include <cmath>

#include "apps/common/units.h"

namespace tessera {

Speed::Speed(int level) : level_(std::clamp(level, 0, kLevels - 1)) {}

double Speed::per_second() const {
  constexpr double kMantissa[] = {1, 2, 5};
  return kMantissa[level_ % 3] * std::pow(10.0, level_ / 3);
}

std::string Speed::text(std::int64_t step) const {
  if (unlimited()) return "max";
  return grouped(static_cast<std::int64_t>(per_second())) + (step == 1 ? " gen/s" : " steps/s");
}

void Throttle::start(Speed speed, std::int64_t step, Clock::time_point now,
                     std::int64_t generation) {
  speed_ = speed;
  step_ = step;
  began_ = now;
  first_ = generation;
}

// The first step is due at once.
std::int64_t Throttle::due(Clock::time_point now, std::int64_t generation) {
  if (speed_.unlimited()) return std::int64_t{1} << 62;
  const double seconds = std::chrono::duration<double>(now - began_).count();
  const std::int64_t whole = (generation - first_) / step_, part = (generation - first_) % step_;
  const double late = seconds * speed_.per_second() - static_cast<double>(whole);
  if (late > std::max(1.0, speed_.per_second() / 4) + 1) {
    start(speed_, step_, now, generation);
    return step_;
  }
  const auto steps = static_cast<std::int64_t>(std::floor(late + 1e-9)) + (late >= 0 ? 1 : 0);
  return std::max<std::int64_t>(0, steps * step_ - part);
}

Throttle::Clock::time_point Throttle::next(std::int64_t generation) const {
  if (speed_.unlimited()) return began_;
  const auto steps = static_cast<double>((generation - first_) / step_);
  return began_ + std::chrono::duration_cast<Clock::duration>(
                      std::chrono::duration<double>(steps / speed_.per_second()));
}

}  // namespace tessera
