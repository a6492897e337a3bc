#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/patterns/pattern.h"

namespace tessera {

/// Live cells of one state from (x, y) rightwards.
struct StateRun {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t length = 0;
  int state = 0;
  bool operator==(const StateRun&) const = default;
};

/// Adds live cells to a pattern, behind those that it has in reading order; `run.state` is not 0.
void append_run(Pattern& pattern, const StateRun& run);

/// Walks live cells, which must outlive this, in reading order: runs of cells of
/// one state, as long as they can be.
class StateRuns {
 public:
  explicit StateRuns(const Pattern& pattern) : StateRuns(pattern.cells, pattern.planes) {}
  /// The same of `live` cells and the bits of their states, by plane.
  StateRuns(const CellRuns& live, std::span<const CellRuns> planes);
  /// The next run, or nothing at the end.
  std::optional<StateRun> next();

 private:
  struct Plane {
    CellRuns::Reader reader;
    std::optional<CellRun> run;
  };

  CellRuns::Reader live_;
  std::optional<CellRun> rest_;  // of the run of live cells under way
  std::vector<Plane> planes_;
};

}  // namespace tessera
