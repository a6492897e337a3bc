#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backends/measure/lockstep.h"

namespace tessera {

/// A cell that two universes do not agree on.
struct DifferentCell {
  Cell cell;           ///< absolute
  bool alive = false;  ///< in the first of them
};

/// The first cell in reading order on which two universes of one rule and universe differ.
std::optional<DifferentCell> first_different_cell(Universe& one, Universe& other);

/// Finds where `wrong` first parts from `judge`, who agree at the last of `checkpoints` (generations
/// from the start at which a lockstep run stopped, in order) and were seen to differ `block`
/// generations later. First a fresh `wrong` is given the state that both agreed on and steps n
/// generations at once, for every n; where that shows no difference both are stepped from the start
/// again as the run stepped them. `cell`, `alive` and `generation` of `seen` are returned, not
/// repeatable, when neither shows it.
Difference locate(const Contender& judge, const Contender& wrong,
                  const std::vector<std::int64_t>& checkpoints, std::int64_t block,
                  Difference seen);

}  // namespace tessera
