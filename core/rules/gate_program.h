#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/rules/neighbourhood_table.h"

namespace tessera {

/// A function of three signals. The value for a, b, c is bit 4a + 2b + c of `table`, as LOP3 and
/// vpternlog count.
struct ProgramGate {
  std::uint8_t table = 0;
  std::array<std::uint16_t, 3> in{};
  bool operator==(const ProgramGate&) const = default;
};

/// Straight-line gates over words of cells that compute the next state of any rule of
/// NeighbourhoodTable.
///
/// Signals 0 to 8 are the cells NW N NE, W C E, SW S SE: three rows of a left, a middle and a right
/// cell. Signal 9 + 3i + r is function i of `rows` in row r; for a word it is computed once and
/// read by the outputs of three rows. Signal 9 + 3 rows.size() + k is the output of gate k. A gate
/// reads only signals before its own; the last one is the next state.
struct GateProgram {
  std::vector<std::uint8_t> rows;  ///< bit 4 left + 2 middle + right: the value
  std::vector<ProgramGate> gates;  ///< at least 1

  bool operator==(const GateProgram&) const = default;
  int first_gate() const { return 9 + 3 * static_cast<int>(rows.size()); }
  /// Gates per word of cells.
  int cost() const { return static_cast<int>(rows.size() + gates.size()); }
};

/// What a program computes, over all 512 patterns.
NeighbourhoodTable table_of(const GateProgram& program);

/// Gives two programs the same `rows`, those of either, so that what was computed once for a row
/// serves both. What they compute stays.
void share_rows(GateProgram& a, GateProgram& b);

}  // namespace tessera
