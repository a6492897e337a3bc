#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "apps/measure/clock.h"
#include "apps/measure/spread.h"
#include "core/rules/rule_spec.h"
#include "core/stepping/kernel.h"

namespace tessera {

/// How long a tuner may search.
struct TunerPlan {
  int repeats = 3;
  double run_seconds = 0.05;  ///< a timed run takes about this long
  double max_seconds = 60;    ///< for the whole search; the best candidate until then wins
  /// A candidate whose first run is this many times slower than the best is not timed again.
  double hopeless = 1.2;
};

/// The result of a candidate.
struct Candidate {
  enum class Kind { timed, hopeless, not_taken, refused, failed };
  Tuning tuning;
  Kind kind = Kind::timed;
  Spread cells_per_second;  ///< of those that were timed
  std::string why;          ///< of those that were not
};

/// The result of a search.
struct TunerResult {
  Tuning own;            ///< the kernel's own choice
  double own_speed = 0;  ///< its median, cell updates per second
  Tuning best;           ///< only parameters with candidates
  double best_speed = 0;
  std::vector<Candidate>
      candidates;     ///< in the order in which they were tried; the first is the own choice
  bool whole = true;  ///< false when time ran out before the search ended
};

/// Searches the candidates that a kernel declares for a universe, which must be bounded. It begins
/// with the kernel's own choice and changes one parameter at a time, or two where one alone is
/// refused, as long as that makes it faster. Generations are tried outwards from the present value,
/// and a direction is abandoned where it gets too slow, because their cost has a single minimum (T.
/// Fujita et al. 2015, section V-B: (t + c) / (t (d - 2t)^2) for t generations of a tile of d cells
/// per side and an overhead of c). Every candidate is checked (check_candidate) before it is timed;
/// a wrong one is refused, however fast it is. `progress` is called for every candidate and ends
/// the search by returning false. Throws UnsupportedError when the kernel cannot hold the universe,
/// Error when its own choice is wrong, and DeviceError when the device fails with that.
TunerResult tune_kernel(const Kernel& kernel, const RuleSpec& rule, const TunerPlan& plan,
                        const Clock& clock,
                        const std::function<bool(const TunerResult&)>& progress = {});

}  // namespace tessera
