#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/cells/cell_runs.h"
#include "core/patterns/pattern.h"
#include "tests/app/scratch_folder.h"

namespace tessera::test {

/// What a command of the shell printed, and its exit status.
struct Shell {
  int status = 0;
  std::string output;
};

/// Runs a command of the shell. Throws std::runtime_error when there is no process for it.
Shell run_shell(const std::string& command);

/// Where Debian's package "golly" keeps its patterns.
inline const std::filesystem::path kGollyPatterns = "/usr/share/golly/Patterns";

/// True where bgolly, the program that Debian's package "golly" ships, and its patterns are.
/// Otherwise says so, or fails the test when they are required.
bool bgolly_is_here();

/// The cells with their box's corner at (0, 0): bgolly does not say where they lie.
CellRuns at_origin(const CellRuns& cells);

/// Each plane with its box's corner at that of the live cells.
std::vector<CellRuns> planes_at_origin(const Pattern& pattern);

/// Where Debian's package "golly" keeps rule files; and bgolly's algorithm for these.
inline const std::filesystem::path kGollyRules = "/usr/share/golly/Rules";
inline const std::string kRuleLoader = "RuleLoader -s " + kGollyRules.string() + "/";

/// bgolly's state of the pattern after so many generations of one of its algorithms.
Pattern stepped_by_bgolly(const Pattern& pattern, const std::string& algorithm,
                          std::int64_t generations, const ScratchFolder& folder);

}  // namespace tessera::test
