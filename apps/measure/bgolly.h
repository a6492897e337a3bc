#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "apps/measure/clock.h"
#include "apps/measure/spread.h"
#include "apps/measure/timing.h"
#include "core/patterns/pattern.h"

namespace tessera {

/// The result of Golly's command-line program for a pattern; https://golly.sourceforge.io.
struct BgollyResult {
  Spread seconds;               ///< for all generations, without loading
  Spread whole;                 ///< the same with its start, loading and its end
  std::int64_t population = 0;  ///< at the end
  std::int64_t memory = 0;      ///< bytes at most (ChildResult::peak_memory)
};

/// Why bgolly cannot be compared with, or nothing: on bounded universes it emulates rules with B0,
/// and it may not be installed.
std::optional<std::string> bgolly_unsupported(const RuleSpec& spec);

/// The algorithm of bgolly for a rule, as its option -a names it.
const char* bgolly_algorithm(const Rule& rule);

/// Runs bgolly on an RLE file of a rule, and nothing else. Throws FileError when it fails.
void run_bgolly_once(const std::string& file, const Rule& rule, std::int64_t generations);

/// Steps a pattern, which names its rule and universe, with bgolly. A time is
/// that of a run of all generations less that of a run of none; `plan.warm_ups` is not used. Throws
/// FileError when bgolly fails.
BgollyResult run_bgolly(const Pattern& start, std::int64_t generations, const TimingPlan& plan,
                        const Clock& clock);

/// Throws InputError when the generations took too little time to be distinguished from loading.
void check_timed(const BgollyResult& result, std::int64_t generations);

}  // namespace tessera
