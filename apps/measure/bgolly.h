#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "apps/measure/clock.h"
#include "apps/measure/spread.h"
#include "core/patterns/pattern.h"

namespace tessera {

/// The result of Golly's command-line program for a pattern; https://golly.sourceforge.io.
struct BgollyResult {
  Spread seconds;               ///< for all generations, without loading
  std::int64_t population = 0;  ///< at the end
};

/// Why bgolly cannot be compared under a rule, or nothing: it emulates rules with B0, and it may
/// not be installed.
std::optional<std::string> bgolly_unsupported(const Rule& rule);

/// Steps a pattern, which names its rule and universe, with bgolly's QuickLife algorithm. A time is
/// that of a run of all generations less that of a run of none. Throws FileError when bgolly fails
/// and InputError when the generations take too little time to be distinguished from loading.
BgollyResult run_bgolly(const Pattern& start, std::int64_t generations, int repeats,
                        const Clock& clock);

}  // namespace tessera
