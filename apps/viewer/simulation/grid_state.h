#pragma once

#include <cstdint>
#include <memory>

#include "core/cells/bit_grid.h"
#include "core/rules/rule_spec.h"
#include "core/universe.h"

namespace tessera {

/// All cells of a universe and what belongs to them, held in memory; copies share the cells.
struct GridState {
  RuleSpec spec;
  std::int64_t generation = 0;
  Cell at;                               ///< of the top-left cell of `cells`
  std::shared_ptr<const BitGrid> cells;  ///< box of the live ones; null when there are none

  std::int64_t bytes() const {
    return cells ? *BitGrid::bytes(cells->width(), cells->height()) : 0;
  }
};

/// The state of a universe, brought from the device.
GridState capture(Universe& universe);

/// Bytes that `capture` would hold.
std::int64_t capture_bytes(Universe& universe);

/// Puts a state into a universe of the same spec.
void restore(const GridState& state, Universe& universe);

/// Copies the cells of a state into an empty universe of any spec; returns how many live cells lie
/// outside it and are lost.
std::int64_t transfer(const GridState& state, Universe& universe);

}  // namespace tessera
