#include "backends/vulkan/kernel_shape.h"

#include "backends/vulkan/spelled_gate.h"
#include "core/rules/rule_circuit.h"

namespace tessera::vulkan {

void KernelShape::specialize_layout(Specialization& values) const {
  values[TESSERA_SPEC_WORDS] = words;
  values[TESSERA_SPEC_BITS] = bits;
  values[TESSERA_SPEC_MARGIN] = margin;
  values[TESSERA_SPEC_ACCESS] = access;
  values[TESSERA_SPEC_PLANES] = planes;
  values[TESSERA_SPEC_BIT_PLANES] = bit_planes;
  values[TESSERA_SPEC_STATE_PLANES] = state_planes;
}

void specialize_rule(const Rule& rule, Specialization& values) {
  values[TESSERA_SPEC_LIFE] = rule == kLife;
  if (rule == kLife) return;
  const RuleCircuit circuit = find_rule_circuit(rule);
  values[TESSERA_SPEC_GATES] = static_cast<std::uint32_t>(circuit.gates.size());
  for (std::size_t i = 0; i < circuit.gates.size(); i++) {
    values[TESSERA_SPEC_GATE + i] = spelled_gate(circuit.gates[i]);
  }
}

Specialization KernelShape::specialization(const BackendSpec& spec, bool cut) const {
  Specialization values{};
  specialize_layout(values);
  values[TESSERA_SPEC_GROUP_SIZE] = group_size;
  values[TESSERA_SPEC_SUBGROUP_SIZE] = subgroup_size;
  values[TESSERA_SPEC_ROWS] = rows;
  values[TESSERA_SPEC_TILE_WORDS] = tile_words;
  values[TESSERA_SPEC_PLANE] = spec.boundary == Boundary::plane;
  values[TESSERA_SPEC_CUT] = cut;
  values[TESSERA_SPEC_THIN] = bits < 32 && spec.width < words && spec.boundary == Boundary::torus;
  values[TESSERA_SPEC_SUMS] = sums;
  values[TESSERA_SPEC_OVERLAP] = overlap;
  values[TESSERA_SPEC_ALL_GIVE] = all_give;
  if (has_one_circuit(spec)) specialize_rule(spec.rule, values);
  return values;
}

}  // namespace tessera::vulkan
