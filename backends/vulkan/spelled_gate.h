#pragma once

#include <array>
#include <cstdint>

#include "core/rules/rule_circuit.h"

namespace tessera::vulkan {

/// How to compute a function of three inputs: by one of the functions of shaders/gate.inl.
struct Spelling {
  std::uint32_t shape = 0;
  bool complemented = false;             ///< its output
  std::array<std::uint32_t, 3> order{};  ///< which input comes first, second and third
  std::array<bool, 3> complements{};     ///< of these, in that order
};

/// `table` as LOP3 and vpternlog count.
Spelling spelling_of(std::uint8_t table);

/// A gate for shaders/rule.glsl: one of the functions of shaders/gate.inl over inputs that may be
/// complemented. Bits 0 .. 3: the function; 4: its output is complemented; from bits 5, 10 and 15
/// on, for each input, four bits for the signal (numbered as RuleGate's) and one that complements.
std::uint32_t spelled_gate(const RuleGate& gate);

}  // namespace tessera::vulkan
