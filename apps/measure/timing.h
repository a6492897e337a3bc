#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "apps/measure/clock.h"
#include "apps/measure/spread.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// Something that is run again and again to find out how long it takes.
struct Timed {
  std::function<void()> prepare;  ///< before each run, not timed; may be empty
  std::function<void()> run;      ///< returns when all is done
  /// Seconds that the device itself has counted so far, where it has a clock; may be empty.
  std::function<std::optional<double>()> device_seconds;
};

/// How often.
struct TimingPlan {
  int warm_ups = 1;  ///< runs that do not count
  int repeats = 5;   ///< runs that do; at least 1
  /// Stops after the first counted run that took longer than this; 0: never.
  double hopeless_seconds = 0;
};

/// What the runs took.
struct Timing {
  Spread wall;                   ///< seconds by the clock
  std::optional<Spread> device;  ///< seconds by the device's own clock, where it has one
  bool hopeless = false;         ///< stopped early: it holds the runs until then

  /// Device time where there is one, and wall time where there is none.
  const Spread& seconds() const { return device ? *device : wall; }
};

/// Warms up and times. Throws what `subject` throws.
Timing time_runs(const Timed& subject, const TimingPlan& plan, const Clock& clock);

/// `generations` of a backend a run.
Timed timed_steps(StepBackend& backend, std::int64_t generations);

/// How many generations of `backend` take about `seconds`: whole launches, at least one of them,
/// and no more than `most` where that is above 0. Steps the backend to find out.
std::int64_t generations_within(StepBackend& backend, double seconds, std::int64_t most,
                                const Clock& clock);

}  // namespace tessera
