#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/measure/verify_case.h"
#include "core/cells/cell_grid.h"
#include "core/stepping/driver.h"

namespace tessera {

/// The cells of a case at one time, according to the reference. On the infinite plane all cells
/// outside are dead.
struct VerifyState {
  std::int64_t generation = 0;
  Cell origin;  ///< absolute position of the grid's top-left cell
  CellGrid cells;
};

/// The states of a case according to the reference, at the start and after each call of `step`. On
/// the infinite plane it steps one grid that is large enough from the beginning, so that growing is
/// judged, too.
std::vector<VerifyState> expected_states(const VerifyCase& trial, const BackendFactory& reference);

/// The result of a case.
struct VerifyResult {
  enum class Kind { passed, skipped, failed };
  Kind kind = Kind::passed;
  std::string message;  ///< why it was skipped, or the first difference: "generation 9: cell (3,
                        ///< -4) is dead, ..."
};

/// Runs a case on the backends of `factory`, through Universe, in every space that they offer for
/// it, and compares cells, population,
/// bounds, hash, a view and a part with the expected ones. A backend that does not support the case
/// (UnsupportedError, or MemoryLimitError on the plane) skips it; any other error is a failure.
VerifyResult run_case(const VerifyCase& trial, const std::vector<VerifyState>& expected,
                      const BackendFactory& factory);

/// A reason with '#' for its numbers, so that reasons that differ only in numbers are counted
/// together.
std::string without_numbers(const std::string& reason);

}  // namespace tessera
