#include "core/rules/counting_program.h"

#include <array>
#include <vector>

#include "core/rules/gate_net.h"
#include "core/rules/rule_circuit.h"

namespace tessera {

GateProgram counting_program(const Rule& rule) {
  constexpr std::uint8_t kSum = 0x96, kCarry = 0xE8;
  GateNet net;
  const auto of_rows = [&](std::uint8_t table, std::uint8_t function) {
    std::array<int, 3> rows{};
    for (int row = 0; row < 3; row++)
      rows[static_cast<std::size_t>(row)] = kRowFunctions * row + function / 2;
    return net.add(table, rows);
  };
  // t0, k, u0, u1 and x of core/rules/circuit.inl.
  std::vector<int> signals = {of_rows(kSum, kSum), of_rows(kCarry, kSum), of_rows(kSum, kCarry),
                              of_rows(kCarry, kCarry), cell_signal(4)};
  Rule counted = rule;
  counted.state_count = 2;
  for (const RuleGate& gate : find_rule_circuit(counted).gates)
    signals.push_back(net.add(gate.table, {signals[gate.a], signals[gate.b], signals[gate.c]}));
  net.out = {signals.back(), false};
  return to_program(cleaned(net).value());
}

}  // namespace tessera
