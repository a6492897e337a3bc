#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/rules/rule.h"

namespace tessera {

/// A Boolean function of the five signals that determine every outer-totalistic rule
/// (core/rules/circuit.inl: the nine-cell total is t0 + 2k + 2u0 + 4u1, and x is the cell itself).
/// Its value is bit t0 + 2k + 4u0 + 8u1 + 16x of the table.
using SignalTable = std::uint32_t;

/// The tables of the signals themselves.
inline constexpr SignalTable kSignalT0 = 0xAAAAAAAAu;
inline constexpr SignalTable kSignalK = 0xCCCCCCCCu;
inline constexpr SignalTable kSignalU0 = 0xF0F0F0F0u;
inline constexpr SignalTable kSignalU1 = 0xFF00FF00u;
inline constexpr SignalTable kSignalX = 0xFFFF0000u;

/// Inputs that occur: a live cell makes the total at least 1, a dead one at most 8. The other two
/// may give anything.
inline constexpr SignalTable kSignalsThatOccur = ~(1u << 16 | 1u << 15);

/// The next state under an outer-totalistic rule as a function of the five signals; inputs that
/// cannot occur give 0.
SignalTable rule_table(const Rule& rule);

/// Rule::next_of as a function of the nine cells, under any rule.
NeighbourhoodTable neighbourhood_table(const Rule& rule);

/// That of a grid's rule and, where two take turns, that of the other.
std::vector<NeighbourhoodTable> neighbourhood_tables(const Rule& rule,
                                                     const std::optional<Rule>& odd_rule);

}  // namespace tessera
