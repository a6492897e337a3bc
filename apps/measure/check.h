#pragma once

#include <cstdint>
#include <string>

#include "core/cells/soup.h"
#include "core/rules/rule_spec.h"
#include "core/stepping/kernel.h"

namespace tessera {

/// The result of checking a candidate before it is timed.
struct Check {
  std::string judge;             ///< what it was compared with: "cpu:0 kernel simd"
  std::int64_t generations = 0;  ///< stepped by both
  std::uint64_t hash = 0;        ///< of both, at the end
  std::string difference;        ///< where they differ, or empty when they are equal
};

/// Steps a kernel with a tuning on a soup, and beside it the fastest CPU kernel that shares no
/// stepping code with it, and compares states: two single generations, then two launches in one
/// call, or 31 generations where that is more; only one launch where the grid is huge or a kernel
/// slow, and on a grid of at most 2048 cells a side where none but `reference` steps the rule, too.
/// Throws UnsupportedError when either cannot hold the universe, which must be bounded, and
/// InputError for a tuning that the kernel does not accept.
Check check_candidate(const Kernel& candidate, const Tuning& tuning, const RuleSpec& rule,
                      const Soup& soup);

}  // namespace tessera
