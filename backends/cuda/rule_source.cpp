#include "backends/cuda/rule_source.h"

#include "core/rules/rule_circuit.h"

namespace tessera::cuda {

std::string rule_header(const Rule& rule) {
  if (rule == kLife) return "#define TESSERA_LIFE 1\n";
  const RuleCircuit circuit = find_rule_circuit(rule);
  bool read[kRuleSignals] = {};
  std::string tail;
  int signal = kRuleSignals;
  for (const RuleGate& gate : circuit.gates) {
    for (const int input : {gate.a, gate.b, gate.c}) {
      if (input < kRuleSignals) read[input] = true;
    }
    tail += "  const TESSERA_WORD s" + std::to_string(signal++) + " = TESSERA_LUT3(" +
            std::to_string(gate.table) + ", s" + std::to_string(gate.a) + ", s" +
            std::to_string(gate.b) + ", s" + std::to_string(gate.c) + ");\n";
  }
  // A parity comes from a sum only where its majority is computed anyway.
  return "#define TESSERA_LIFE 0\n#define TESSERA_SUM_T0 " + std::to_string(read[0] && read[1]) +
         "\n#define TESSERA_SUM_U0 " + std::to_string(read[2] && read[3]) +
         "\nTESSERA_FN TESSERA_WORD tessera_tail(TESSERA_WORD s0, TESSERA_WORD s1, TESSERA_WORD "
         "s2,\n"
         "                                     TESSERA_WORD s3, TESSERA_WORD s4) {\n" +
         tail + "  return s" + std::to_string(signal - 1) + ";\n}\n";
}

std::string birth_option(const Rule& rule) {
  return "-DTESSERA_BIRTH=" + std::to_string(rule.birth);
}
std::string survival_option(const Rule& rule) {
  return "-DTESSERA_SURVIVAL=" + std::to_string(rule.survival);
}

}  // namespace tessera::cuda
