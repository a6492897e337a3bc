#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "apps/measure/lockstep.h"

namespace tessera {

/// A cell in which two universes differ.
struct DifferentCell {
  Cell cell;      ///< absolute
  int state = 0;  ///< in the first of them
  int other = 0;  ///< in the other one
};

/// The first cell in reading order in which two universes of the same rule and size differ.
std::optional<DifferentCell> first_different_cell(Universe& one, Universe& other);

/// Finds where `wrong` first differs from `judge`. They agree at the last of `checkpoints`
/// (generations from the start at which a lockstep run stopped, in order) and were seen to differ
/// `block` generations later. Both are stepped from the start again as in that run, and then by n
/// generations at once, until n is found for which they differ while they agree for n - 1. When
/// they do not differ again, returns `seen`, marked as not repeatable.
Difference locate(const Contender& judge, const Contender& wrong,
                  const std::vector<std::int64_t>& checkpoints, std::int64_t block,
                  Difference seen);

}  // namespace tessera
