#include "core/rules/gate_program.h"

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

}  // namespace tessera
