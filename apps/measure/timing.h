#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>

#include "apps/measure/clock.h"
#include "apps/measure/spread.h"
#include "core/stepping/batch.h"
#include "core/stepping/step_backend.h"
#include "core/universe.h"

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

/// Whoever steps, for timing: a backend, a universe or a batch, which must outlive this.
struct Steps {
  // NOLINTBEGIN(google-explicit-constructor)
  Steps(StepBackend& backend) : Steps(backend, backend.info()) {}
  Steps(Universe& universe) : Steps(universe, universe.info()) {}
  Steps(Batch& batch) : Steps(batch, batch.info().by) {}
  // NOLINTEND(google-explicit-constructor)

  std::function<void(std::int64_t)> step;  ///< so many generations; returns when they are done
  std::function<std::optional<double>()> device_seconds;  ///< as Timed has it
  std::int64_t launch;                                    ///< generations per launch of the kernel

 private:
  template <class Stepper>
  Steps(Stepper& stepper, const BackendInfo& info)
      : step([&stepper](std::int64_t generations) {
          stepper.step(generations);
          stepper.synchronize();
        }),
        device_seconds([&stepper] { return stepper.device_seconds(); }),
        launch(std::max(1, info.tuning.generations)) {}
};

/// So many generations per run.
Timed timed_steps(const Steps& steps, std::int64_t generations);

/// How many generations take about `seconds`: whole launches, at least one of them, and no more
/// than `most` where that is above 0. Steps to find out.
std::int64_t generations_within(const Steps& steps, double seconds, std::int64_t most,
                                const Clock& clock);

}  // namespace tessera
