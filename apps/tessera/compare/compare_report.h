#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/measure/bgolly.h"
#include "apps/measure/lockstep.h"
#include "apps/tessera/measurement.h"
#include "backends/tuning/tunings.h"
#include "core/rules/rule_spec.h"

namespace tessera {

/// What was compared, and the results.
struct CompareReport {
  std::string source;
  RuleSpec rule;
  std::int64_t start_generation = 0;
  std::int64_t generations = 0;  ///< asked for
  std::int64_t block = 0;
  int repeats = 0;
  std::vector<std::string> names;  ///< of the contenders
  LockstepResult lockstep;
  std::vector<std::optional<Measurement>>
      rows;                       ///< of each contender; nothing when it was not timed
  std::vector<TunedBy> tuned_by;  ///< where each contender's tuning came from
  std::optional<BgollyResult> peer;
  Json devices;

  /// Whether the peer took longer than its loading varies by.
  bool peer_timed() const { return peer && peer->seconds.lowest > 0; }
};

/// The rows that were timed, fastest first: indexes of `rows`.
std::vector<std::size_t> by_speed(const CompareReport& report);

/// A few lines and a table for people.
std::string compare_text(const CompareReport& report);
/// One line that names which kernel differs from which, and where first; empty when all agree.
std::string difference_text(const CompareReport& report);
/// The whole report: environment, simulation, verified, difference, devices, rows, left_out, peer.
Json compare_json(const CompareReport& report);
/// Bars of cell updates per second with each device's ceiling.
void compare_plot(const std::string& path, const CompareReport& report);

}  // namespace tessera
