#include "backends/cuda/rule_source.h"

#include "core/rule_circuit.h"

namespace tessera::cuda {

std::string rule_header(const Rule& rule) {
  std::string text =
      "TESSERA_FN TESSERA_WORD tessera_next(TESSERA_WORD xa, TESSERA_WORD ma, TESSERA_WORD xb, TESSERA_WORD mb,\n"
      "                                     TESSERA_WORD x, TESSERA_WORD xc, TESSERA_WORD mc) {\n";
  if (rule == kLife) return text + "  return tessera_life(xa, ma, xb, mb, x, xc, mc);\n}\n";
  text +=
      "  const TESSERA_WORD s0 = tessera_t0(xa, xb, xc), s1 = tessera_k(xa, xb, xc);\n"
      "  const TESSERA_WORD s2 = tessera_u0(ma, mb, mc), s3 = tessera_u1(ma, mb, mc), s4 = x;\n";
  int signal = kRuleSignals;
  for (const RuleGate& gate : find_rule_circuit(rule).gates) {
    text += "  const TESSERA_WORD s" + std::to_string(signal++) + " = TESSERA_LUT3(" + std::to_string(gate.table) + ", s" +
            std::to_string(gate.a) + ", s" + std::to_string(gate.b) + ", s" + std::to_string(gate.c) + ");\n";
  }
  return text + "  return s" + std::to_string(signal - 1) + ";\n}\n";
}

std::string birth_option(const Rule& rule) { return "-DTESSERA_BIRTH=" + std::to_string(rule.birth); }
std::string survival_option(const Rule& rule) { return "-DTESSERA_SURVIVAL=" + std::to_string(rule.survival); }

}  // namespace tessera::cuda
