#pragma once

#include "backends/cpu/strip_layout.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// The shape in which the `simd` kernel steps a grid.
struct StripPlan {
  int segments = 1;        ///< of a row
  int generations = 1;     ///< T: of a pass
  int rows = 8;            ///< R: vector rows of a group
  double nanoseconds = 0;  ///< that the model expects for a generation
};

/// What a rule costs in the model's nanoseconds, of which only the ratios matter.
struct StripWork {
  double vector = 1.1;  ///< a vector of a row in a generation
  double row = 0.8;     ///< the two ends of a row
  double kept = 3;      ///< each vector of the two rows kept between groups, in a generation
  int planes = 1;       ///< that are read and written

  /// The kernel `simd` under a rule.
  static StripWork of(const Rule& rule);
  /// Machine code of so many gates.
  static StripWork of_gates(int gates, int planes);
  /// Gates of a program that is not known yet, or may become shorter: shapes depend little on it.
  static constexpr int kUsualGates = 14;
};

/// The shape that a model of the machine expects to be the fastest for a grid; fields of `tuning`
/// that are not 0 are kept, and up to `tuning.threads` threads, at least 1, share the work. With
/// several tenants, it is the shape of one buffer of them.
StripPlan plan_strips(const BackendSpec& spec, const StripWork& work, int lanes,
                      const Tuning& tuning, StripTenants tenants = StripTenants::one);

/// The model's nanoseconds of so many generations of a band (BackendSpec::halo_rows), by a complete
/// `tuning` whose threads run at once, from one exchange of its halos to the next.
double band_nanoseconds(const BackendSpec& spec, const StripWork& work, int lanes,
                        const Tuning& tuning, std::int64_t generations);

/// Tasks, at most `threads`, into which a pass is best cut: a task costs its wake-up and the rows
/// that it hands on to another.
int plan_tasks(const StripLayout& layout, int generations, int rows, int threads);

/// The accepted values of StripPlan's fields, ascending.
const std::vector<int>& strip_generations();
const std::vector<int>& strip_rows();

}  // namespace tessera
