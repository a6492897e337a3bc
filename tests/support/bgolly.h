#pragma once

#include <filesystem>
#include <string>

#include "core/cells/cell_runs.h"

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

}  // namespace tessera::test
