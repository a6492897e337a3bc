#pragma once

#include <cstdint>

#include "core/rules/rule_circuit.h"

namespace tessera::vulkan {

/// A gate for shaders/rule.glsl: one of the functions of shaders/gate.inl over inputs that may be
/// complemented. Bits 0 .. 3: the function; 4: its output is complemented; from bits 5, 10 and 15
/// on, for each input, four bits for the signal (numbered as RuleGate's) and one that complements.
std::uint32_t spelled_gate(const RuleGate& gate);

}  // namespace tessera::vulkan
