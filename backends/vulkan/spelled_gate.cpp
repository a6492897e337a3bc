#include "backends/vulkan/spelled_gate.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace tessera::vulkan {

namespace {

using uint = std::uint32_t;
#include "shaders/gate.inl"

// The inputs of a gate as tables, and packed as in spelled_gate.
constexpr std::array<uint, 3> kInputs = {0xF0, 0xCC, 0xAA};
constexpr uint kComplement = 16;

// The gate's function when its inputs are `packed`, in that order.
std::uint8_t table_of(uint shape, const std::array<uint, 3>& order, uint complements) {
  std::array<uint, 3> in{};
  for (int i = 0; i < 3; i++) {
    in[i] = kInputs[order[i]] ^ (complements >> i & 1 ? 0xFF : 0);
  }
  return static_cast<std::uint8_t>(gate_shape(shape, in[0], in[1], in[2]));
}

}  // namespace

Spelling spelling_of(std::uint8_t gate) {
  for (uint shape = 0; shape < TESSERA_GATE_SHAPES; shape++) {
    std::array<uint, 3> order = {0, 1, 2};
    do {
      for (uint complements = 0; complements < 8; complements++) {
        const std::uint8_t table = table_of(shape, order, complements);
        const bool same = table == gate, opposite = table == (gate ^ 0xFF);
        if (!same && !opposite) continue;
        Spelling out{shape, opposite, order, {}};
        for (std::size_t i = 0; i < 3; i++) out.complements[i] = (complements >> i & 1) != 0;
        return out;
      }
    } while (std::ranges::next_permutation(order).found);
  }
  throw std::logic_error("no function of three bits is left out");
}

std::uint32_t spelled_gate(const RuleGate& gate) {
  const std::array<uint, 3> signals = {gate.a, gate.b, gate.c};
  const Spelling spelling = spelling_of(gate.table);
  uint packed = spelling.shape | (spelling.complemented ? kComplement : 0);
  for (std::size_t i = 0; i < 3; i++) {
    packed |= (signals[spelling.order[i]] | (spelling.complements[i] ? kComplement : 0))
              << (5 * i + 5);
  }
  return packed;
}

}  // namespace tessera::vulkan
