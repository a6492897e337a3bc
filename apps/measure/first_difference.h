#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "apps/measure/lockstep.h"

namespace tessera {

/// A cell that two universes do not agree on.
struct DifferentCell {
  Cell cell;           ///< absolute
  bool alive = false;  ///< in the first of them
};

/// The first cell in reading order on which two universes of one rule and universe differ.
std::optional<DifferentCell> first_different_cell(Universe& one, Universe& other);

/// Finds where `wrong` first parts from `judge`, who agree at the last of `checkpoints`
/// (generations from the start at which a lockstep run stopped, in order) and were seen to differ
/// `block` generations later. Both are stepped from the start again as that run stepped them, and
/// then n generations at once, until n is found with which they differ while they agree with n - 1.
/// When they do not differ again, `seen` comes back, not repeatable.
Difference locate(const Contender& judge, const Contender& wrong,
                  const std::vector<std::int64_t>& checkpoints, std::int64_t block,
                  Difference seen);

}  // namespace tessera
