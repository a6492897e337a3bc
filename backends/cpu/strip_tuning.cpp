#include "backends/cpu/strip_tuning.h"

#include "backends/cpu/strip_kernel.h"
#include "backends/cpu/usable_threads.h"

namespace tessera {

std::vector<TuningParameter> strip_parameters() {
  std::vector<int> segments;
  for (int s = 1; s <= strip_lanes(); s *= 2) segments.push_back(s);
  return {{&Tuning::generations, "generations", "generations per pass", strip_generations()},
          {&Tuning::rows, "rows", "vector rows that are stepped as a group", strip_rows()},
          {&Tuning::group, "segments", "segments that a row is cut into", segments},
          {&Tuning::threads, "threads", "threads that share a pass", {}, 1, kMostThreads}};
}

StripPlan strip_plan_here(const BackendSpec& spec, const StripWork& work, Tuning tuning,
                          StripTenants tenants) {
  // More tasks than threads that run at once would only compute more rows twice.
  tuning.threads = usable_threads(tuning);
  return plan_strips(spec, work, strip_lanes(), tuning, tenants);
}

std::optional<double> band_seconds_here(const BackendSpec& spec, const StripWork& work,
                                        const Tuning& tuning, std::int64_t generations) {
  Tuning whole = strip_tuning(spec, work, tuning);
  if (generations > whole.generations && generations % whole.generations != 0) return std::nullopt;
  whole.threads = usable_threads(whole);
  return 1e-9 * band_nanoseconds(spec, work, strip_lanes(), whole, generations);
}

Tuning strip_tuning(const BackendSpec& spec, const StripWork& work, Tuning tuning) {
  if (tuning.threads == 0) tuning.threads = all_threads();
  const StripPlan plan = strip_plan_here(spec, work, tuning);
  tuning.generations = plan.generations;
  tuning.rows = plan.rows;
  tuning.group = plan.segments;
  return tuning;
}

}  // namespace tessera
