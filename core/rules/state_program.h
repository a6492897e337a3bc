#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/rules/gate_program.h"
#include "core/rules/rule.h"

namespace tessera {

/// Planes that a StateProgram may have.
inline constexpr std::size_t kMostProgramPlanes = 16;

/// Gates that compute the next state under any rule, over bit planes that a kernel keeps for
/// itself.
///
/// Plane 0 has the cells that others see, those of state 1. Under a rule of more states, the other
/// planes say which state the rest of the cells have, by a code that makes the gates few: the ages
/// of Generations go through a shift register, so that most planes just move on.
///
/// Signals 0 to planes - 1 are the cell itself in each plane, signal `planes` is what `lives`
/// computes from plane 0, and signal planes + 1 + k is the output of gate k. A gate reads only
/// signals before its own.
struct StateProgram {
  GateProgram lives;
  int planes = 1;
  std::vector<ProgramGate> gates{};
  /// The signal that each plane becomes. One below `planes` is a plane that moves here as a whole.
  std::vector<std::uint16_t> next{1};
  /// The bits of the planes for each state, bit p for plane p.
  std::vector<std::uint16_t> codes{0, 1};

  /// Whether gates make a plane; another moves there otherwise.
  bool makes(int plane) const { return next[static_cast<std::size_t>(plane)] >= planes; }
  /// Gates per word of cells.
  int cost() const { return lives.cost() + static_cast<int>(gates.size()); }
};

/// The program of a rule; `lives` computes its Rule::next_of.
StateProgram state_program(const Rule& rule, const GateProgram& lives);

/// The codes of its program, which do not depend on what lives; under a rule of a file, which has
/// no program, states are their own. One of them has a bit in the last plane.
std::vector<std::uint16_t> state_codes(const Rule& rule);

}  // namespace tessera
