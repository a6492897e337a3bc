#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/rules/gate_program.h"
#include "core/rules/gate_table.h"
#include "core/rules/neighbourhood_table.h"

namespace tessera {

/// A circuit while the compiler works on it. Signals below kGateSignal are the functions of one row
/// of three cells that are false where all three are dead: 128 row + f / 2, where f is the truth
/// table as GateProgram::rows has it. The cells themselves are among them, free of charge. Signal
/// kGateSignal + i is gate i.
inline constexpr int kRowFunctions = 128;
inline constexpr int kGateSignal = 3 * kRowFunctions;
/// Stands for a constant.
inline constexpr int kConstant = -1;

struct NetGate {
  std::uint8_t table = 0;
  std::array<int, 3> in{};
  NeighbourhoodTable value;
};

/// A signal or its complement; the constant true where `signal` is kConstant and `negated`.
struct NetSignal {
  int signal = kConstant;
  bool negated = false;
  bool operator==(const NetSignal&) const = default;
};

struct GateNet {
  std::vector<NetGate> gates;  ///< in any order without a cycle; after cleaned(), inputs first
  NetSignal out;

  /// The function of a signal; gates must have theirs.
  const NeighbourhoodTable& value(int signal) const;
  /// Adds a gate whose inputs have their values, and returns its signal.
  int add(std::uint8_t table, const std::array<int, 3>& in);
  /// The functions of rows other than the cells themselves that are read, as bits f / 2.
  std::vector<bool> row_functions() const;
  /// Gates, and functions of rows, each of which counts once for three rows.
  int cost() const;
};

/// The signal of a cell, 0 to 8 as in GateProgram.
int cell_signal(int cell);
/// Whether a signal is a cell.
bool is_cell(int signal);

/// The same function without dead gates, constants, copies, gates that are functions of one row, or
/// gates that equal others; nothing where the gates have a cycle.
std::optional<GateNet> cleaned(const GateNet& net);

/// A cleaned net as a program.
GateProgram to_program(const GateNet& net);

}  // namespace tessera
