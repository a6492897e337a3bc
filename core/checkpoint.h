#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/bit_grid.h"
#include "core/rule_spec.h"
#include "core/soup.h"

namespace tessera {

/// Everything needed to go on: the universe, its generation and its cells.
struct Checkpoint {
  RuleSpec rule;
  std::int64_t generation = 0;
  Cell origin;  ///< absolute position of the grid's top-left cell
  BitGrid cells{1, 1};
  /// Where the cells came from, for reports: a path or a soup's spelling; free text without newlines.
  std::string source;
};

/// Writes to a temporary beside `path`, syncs it, keeps the old file as `path`.prev by hard link, renames over
/// `path` and syncs the folder, so that a usable file exists at every instant, whatever kills the process.
/// Throws FileError; the old file is untouched then.
void write_checkpoint(const std::string& path, const Checkpoint& checkpoint);

/// Reads one back. Throws FileError, or ParseError ("file:byte N: ...") for anything but a whole checkpoint with
/// the right checksum; sizes are checked against `max_memory` (0: no limit of ours) before anything is
/// allocated.
Checkpoint read_checkpoint(const std::string& path, std::int64_t max_memory = 0);

}  // namespace tessera
