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

std::string Speed::text() const {
  return unlimited() ? "max" : grouped(static_cast<std::int64_t>(per_second())) + " gen/s";
}

void Throttle::start(Speed speed, Clock::time_point now, std::int64_t generation) {
  speed_ = speed;
  began_ = now;
  // The first generation is due at once.
  first_ = generation - 1;
}

std::int64_t Throttle::due(Clock::time_point now, std::int64_t generation) {
  if (speed_.unlimited()) return std::int64_t{1} << 62;
  const double seconds = std::chrono::duration<double>(now - began_).count();
  const double late = seconds * speed_.per_second() - static_cast<double>(generation - first_ - 1);
  if (late > std::max(1.0, speed_.per_second() / 4) + 1) {
    start(speed_, now, generation);
    return 1;
  }
  return std::max<std::int64_t>(
      0, static_cast<std::int64_t>(std::floor(late + 1e-9)) + (late >= 0 ? 1 : 0));
}

Throttle::Clock::time_point Throttle::next(std::int64_t generation) const {
  if (speed_.unlimited()) return began_;
  const double seconds = static_cast<double>(generation - first_ - 1) / speed_.per_second();
  return began_ +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace tessera
