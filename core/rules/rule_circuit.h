#pragma once

#include <cstdint>
#include <vector>

#include "core/rules/rule.h"
#include "core/rules/rule_tables.h"

namespace tessera {

/// A function of three signals. Signals 0..4 are t0, k, u0, u1, x of core/rules/circuit.inl; signal
/// 5+i is the output of gate i. The value is bit 4a + 2b + c of `table`, as LOP3 and vpternlog
/// count.
struct RuleGate {
  std::uint8_t table = 0;
  std::uint8_t a = 0, b = 0, c = 0;
  bool operator==(const RuleGate&) const = default;
};

/// The end of a rule's circuit: from t0, k, u0, u1 and x to the next state, which is the output of
/// the last gate. A gate reads only signals before its own.
struct RuleCircuit {
  std::vector<RuleGate> gates;  ///< 1 to 7
  bool operator==(const RuleCircuit&) const = default;
};

inline constexpr int kRuleSignals = 5;

/// A short circuit for any outer-totalistic rule, found in a few milliseconds and always the same
/// for the same rule.
///
/// Circuits of up to three gates are found whenever they exist. Beyond that, the next state is
/// written as a function of x and two functions P, Q of (t0, k, u0, u1) that together distinguish
/// births from survivals. P and Q take one or two gates each, or share their first (4 or 5 gates),
/// or follow a first gate that may also read x. The remaining rules take 7 gates: four tables of
/// (k, u0, u1) and three selections by t0 and x.
RuleCircuit find_rule_circuit(const Rule& rule);

/// What a circuit computes, over all 32 inputs.
SignalTable table_of(const RuleCircuit& circuit);

}  // namespace tessera
