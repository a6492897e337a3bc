#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "apps/tessera/run/row_file.h"
#include "core/base/geometry.h"

namespace tessera {

class Universe;

/// When something is sampled: at the start, every `every` generations after it, and at the end.
struct Schedule {
  std::int64_t start = 0;
  std::int64_t every = 1;

  bool has(std::int64_t generation) const { return (generation - start) % every == 0; }
  /// Generations from `generation` to the next one on the schedule, 1 .. every.
  std::int64_t until_next(std::int64_t generation) const {
    return every - (generation - start) % every;
  }
};

/// A table of comma-separated values that grows row by row: generation, population, bounds (empty
/// without cells), hash; where the rule has more than two states, also the number of cells in each
/// state from 1 on.
///
/// Each row is written by one call, so that a killed process leaves whole rows.
class StatsFile {
 public:
  static constexpr const char* kHeader = "generation,population,xmin,ymin,xmax,ymax,hash";

  /// Starts a new file, or standard output for "-", for a rule of so many states. Throws FileError.
  StatsFile(const std::string& path, int states);
  /// Continues the file of a run that stopped. Rows from `generation` on, and a row cut short by a
  /// crash, are removed, so that the file becomes that of a run which never stopped. A row of
  /// `generation` itself stays when it is on the schedule. A missing file is started. Throws
  /// FileError, and InputError for a file that is something else.
  StatsFile(const std::string& path, int states, std::int64_t generation, const Schedule& schedule);

  /// True when there is no row yet.
  bool empty() const { return !last_; }
  /// Appends the universe's row unless the last row has the same generation. Throws FileError and
  /// then leaves no part of a row.
  void add(Universe& universe);
  /// Returns when the rows have reached the disk, which a later checkpoint relies on. Throws
  /// FileError.
  void sync() { file_.sync(); }

 private:
  void keep_rows(std::int64_t generation, const Schedule& schedule);

  int states_;
  std::string header_;  // with its line end
  RowFile file_;
  std::optional<std::int64_t> last_;  // generation of the last row
};

}  // namespace tessera
