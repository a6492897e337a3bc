#pragma once

#include "apps/tessera/bench/bench_suite.h"
#include "apps/tessera/measurement.h"

namespace tessera {

/// How cases are measured.
struct BenchPlan {
  int repeats = 5;
  double run_seconds = 0.1;  ///< a timed run takes about this long, and at least one launch
  double max_seconds = 60;   ///< a run of this length is not repeated
  /// Seconds that QuickLife's whole runs of BenchKind::program take, per run_seconds.
  static constexpr double kProgramRuns = 20;
  Soup soup{1, 32768};
};

/// Measures one case and returns everything about it: suite, table, row, column, backend, device,
/// kernel, rule, width, height, unit, and
///   - for a case that was measured, `value` and its `lowest` and `highest` in that unit,
///     `verified` (by, generations, hash), `published` (value, on, ratio: how many times better
///     this is) or null, `tuned_by`, and the fields of a Measurement; for a pattern those of
///     put_beside (bench_beside.h) instead; for a batch also those of put_batch (bench_batch.h);
///   - for one that the device does not support, `skipped`: the reason;
///   - for one in which the device failed, `failed`: how;
///   - for one that is wrong, `refused`: where it differs; such a case is not timed.
Json run_bench_case(const std::string& suite, const BenchCase& c, const BenchPlan& plan,
                    DeviceFacts& facts, const Clock& clock);

}  // namespace tessera
