#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/rules/state_program.h"

namespace tessera {

/// The state of each code of a program (StateProgram::codes); 0 for codes that no state has.
std::vector<std::uint16_t> states_by_code(const StateProgram& program);

/// Turns the values that the bits of some planes make into those of others; 0 stays 0.
class StateRecoder {
 public:
  /// `values`: the new one of each that occurs; outlives this.
  explicit StateRecoder(const std::vector<std::uint16_t>& values) : values_(values) {}

  /// 64 cells: reads in[p] for each plane p, and sets the bits of out[p], which were 0.
  void recode(std::span<const std::uint64_t> in, std::span<std::uint64_t> out);

 private:
  void spread(std::uint64_t cells, std::size_t plane, std::size_t value);

  const std::vector<std::uint16_t>& values_;
  std::span<const std::uint64_t> in_;
  std::span<std::uint64_t> out_;
};

}  // namespace tessera
