#include "apps/measure/timing.h"

#include <algorithm>
#include <vector>

namespace tessera {

Timing time_runs(const Timed& subject, const TimingPlan& plan, const Clock& clock) {
  std::vector<double> wall, device;
  bool has_device_time = static_cast<bool>(subject.device_seconds);
  Timing out;
  for (int i = -plan.warm_ups; i < std::max(1, plan.repeats); i++) {
    if (subject.prepare) subject.prepare();
    const auto counted = [&] {
      return has_device_time ? subject.device_seconds() : std::optional<double>();
    };
    const std::optional<double> before = counted();
    const double start = clock.now();
    subject.run();
    const double took = clock.now() - start;
    const std::optional<double> after = counted();
    if (i < 0) continue;
    wall.push_back(took);
    has_device_time = before && after;
    if (has_device_time) device.push_back(*after - *before);
    if (plan.hopeless_seconds > 0 && took > plan.hopeless_seconds) {
      out.hopeless = true;
      break;
    }
  }
  if (has_device_time) out.device = spread_of(std::move(device));
  out.wall = spread_of(std::move(wall));
  return out;
}

Timed timed_steps(const Steps& steps, std::int64_t generations) {
  return {{}, [step = steps.step, generations] { step(generations); }, steps.device_seconds};
}

std::int64_t generations_within(const Steps& steps, double seconds, std::int64_t most,
                                const Clock& clock) {
  const std::int64_t launch = steps.launch;
  const std::int64_t most_launches = most > 0 ? std::max<std::int64_t>(1, most / launch) : 1 << 26;
  const auto time_of = [&](std::int64_t launches) {
    const double start = clock.now();
    steps.step(launches * launch);
    return clock.now() - start;
  };
  time_of(1);  // pays for whatever happens only once
  for (std::int64_t launches = 1;;) {
    const double took = time_of(launches);
    // The estimate is good once it rests on a part of the time that is not too small.
    const double wanted = static_cast<double>(launches) * seconds / std::max(took, 1e-9);
    const auto within =
        static_cast<std::int64_t>(std::clamp(wanted, 1.0, static_cast<double>(most_launches)));
    if (took >= seconds / 8 || within <= launches || launches >= most_launches) {
      return std::max<std::int64_t>(1, within) * launch;
    }
    launches = std::min({within, launches * 16, most_launches});
  }
}

}  // namespace tessera
