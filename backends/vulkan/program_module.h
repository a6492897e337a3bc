#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/rules/gate_program.h"
#include "core/rules/rule.h"
#include "core/rules/state_program.h"

namespace tessera::vulkan {

/// The SPIR-V of a rule: `shader`, which is one with shaders/program.glsl, with the program's gates
/// in the bodies of its functions row_signals and program_of, and those of a program of several
/// planes in next_states, which it has with TESSERA_STATES, too. Each gate is spelled as
/// shaders/gate.inl has it. The first TESSERA_ROW_FUNCTIONS functions of a row are computed once
/// per row, further ones where they are read. Throws std::logic_error where `shader` has no such
/// functions.
std::vector<std::uint32_t> program_module(std::span<const std::uint32_t> shader,
                                          const StateProgram& program);

/// The SPIR-V of a rule of longer range: that of shaders/sums.comp, with the gates behind its
/// counts in the body of lives_of, unless they are looked up, and those of several planes in
/// next_states.
std::vector<std::uint32_t> range_module(std::span<const std::uint32_t> shader, const Rule& rule);

/// The same as the first for two rules of two states that take turns, the second one's program in
/// the body of odd_program_of.
std::vector<std::uint32_t> turns_module(std::span<const std::uint32_t> shader, GateProgram even,
                                        GateProgram odd);

/// What a program reads of the rows above and below: the values of TESSERA_SPEC_ABOVE and
/// TESSERA_SPEC_BELOW.
struct RowReads {
  std::uint32_t above = 0, below = 0;
};
RowReads reads_of(const GateProgram& program);
/// Of two that take turns, what either reads.
RowReads turns_reads(GateProgram even, GateProgram odd);

}  // namespace tessera::vulkan
