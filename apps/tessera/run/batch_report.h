#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/tessera/run/run_report.h"
#include "core/rules/rule_spec.h"
#include "core/stepping/batch.h"
#include "core/stepping/period_finder.h"
#include "core/stepping/survey.h"

namespace tessera {

/// Where the universes of a batch come from: soups of consecutive seeds, or patterns in turns.
struct BatchSource {
  std::optional<std::uint64_t> first_seed;  ///< of soups: universe u has this + u modulo 2^64
  std::vector<std::string> patterns;        ///< else: universe u has pattern u modulo their number
  std::string text;                         ///< for people: "soups 0.5 of seeds 1 to 100"

  /// The seed or the pattern of a universe.
  std::string of(std::int64_t universe) const;
};

/// The state of a batch at a generation.
struct BatchState {
  std::int64_t generation = 0;
  std::vector<Survey> cells;          ///< by universe; bounds in its coordinates
  std::vector<PeriodFinder> repeats;  ///< by universe
};

/// What a run of a batch came to.
struct BatchReport {
  RuleSpec rule;
  BatchSource source;
  BatchState state;
  BatchInfo info;
  std::int64_t generations = 0;  ///< stepped
  double seconds = 0;            ///< of stepping alone
  Stopped stopped = Stopped::done;
  std::optional<double> max_seconds;

  double cells_per_second() const;
};

/// The heading of the rows of a CSV file, with its line end.
std::string batch_heading(const BatchSource& source);
/// A row of each universe: universe, seed or pattern, generation, population, bounds (empty without
/// cells), hash, period and since (empty until it is known to repeat).
std::string batch_rows(const BatchSource& source, const BatchState& state);
/// One JSON object and a line feed, `rows` of it with an object of each universe.
std::string batch_json(const BatchReport& report);
/// A few lines for people, and a table of the first universes.
std::string batch_text(const BatchReport& report);

}  // namespace tessera
