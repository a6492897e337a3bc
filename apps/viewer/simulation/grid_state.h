#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/files/piece_source.h"
#include "core/rules/rule_spec.h"
#include "core/universe.h"

namespace tessera {

/// All cells of a universe and what belongs to them, held in memory; copies share the cells.
struct GridState {
  RuleSpec spec;
  std::int64_t generation = 0;
  Rect extent;                                      ///< box of the live cells
  std::shared_ptr<const std::vector<Piece>> cells;  ///< what lives; null when there are none

  std::int64_t bytes() const;
};

/// The state of a universe, brought from the device.
GridState capture(Universe& universe);

/// Puts a state into a universe of the same spec.
void restore(const GridState& state, Universe& universe);

/// Copies the cells of a state into an empty universe of any spec; returns how many live cells lie
/// outside it and are lost.
std::int64_t transfer(const GridState& state, Universe& universe);

}  // namespace tessera
