#include "core/rules/gate_program.h"

#include <algorithm>
#include <cstddef>

#include "core/rules/pattern_set.h"

namespace tessera {

NeighbourhoodTable table_of(const GateProgram& program) {
  std::vector<NeighbourhoodTable> signals(9);
  for (int cell = 0; cell < 9; cell++) {
    for (int p = 0; p < kPatterns; p++) {
      if (p >> (8 - cell) & 1) signals[static_cast<std::size_t>(cell)].set(p);
    }
  }
  for (const std::uint8_t function : program.rows) {
    for (std::size_t row = 0; row < 3; row++) {
      signals.push_back(
          gate_output(function, signals[3 * row], signals[3 * row + 1], signals[3 * row + 2]));
    }
  }
  for (const ProgramGate& gate : program.gates) {
    signals.push_back(
        gate_output(gate.table, signals[gate.in[0]], signals[gate.in[1]], signals[gate.in[2]]));
  }
  return signals.back();
}

namespace {

// The same program with functions of rows of which some are its own.
GateProgram with_rows(const GateProgram& program, const std::vector<std::uint8_t>& rows) {
  GateProgram out{rows, program.gates};
  for (ProgramGate& gate : out.gates) {
    for (std::uint16_t& in : gate.in) {
      if (in >= program.first_gate()) {
        in = static_cast<std::uint16_t>(in - program.first_gate() + out.first_gate());
      } else if (in >= 9) {
        const std::uint8_t function = program.rows[static_cast<std::size_t>((in - 9) / 3)];
        const auto at = std::ranges::find(rows, function) - rows.begin();
        in = static_cast<std::uint16_t>(9 + 3 * at + (in - 9) % 3);
      }
    }
  }
  return out;
}

}  // namespace

void share_rows(GateProgram& a, GateProgram& b) {
  std::vector<std::uint8_t> rows;
  for (const GateProgram* program : {&a, &b}) {
    for (const std::uint8_t function : program->rows) {
      if (std::ranges::find(rows, function) == rows.end()) rows.push_back(function);
    }
  }
  a = with_rows(a, rows);
  b = with_rows(b, rows);
}

}  // namespace tessera
