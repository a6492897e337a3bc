#pragma once

#include <array>
#include <cstdint>

#include "core/base/geometry.h"

namespace tessera {

/// 64-bit words of the widest vectors of any processor: what follows works on whole ones.
inline constexpr std::int64_t kGateWords = 8;

/// So many words, filled up to whole vectors.
constexpr std::int64_t whole_vectors(std::int64_t words) {
  return ceil_div(words, kGateWords) * kGateWords;
}

/// Writes a gate's outputs for `words` words, a multiple of kGateWords. `out` may be an input
/// itself, but not overlap one otherwise. No pointer needs to be aligned.
using GateFunction = void (*)(const std::uint64_t* a, const std::uint64_t* b,
                              const std::uint64_t* c, std::uint64_t* out, std::int64_t words);

/// The functions of all 256 tables (ProgramGate::table), for this processor.
const std::array<GateFunction, 256>& gate_functions();

/// Copies `words` words (a multiple of kGateWords) of cells to `middle`, and to `left` and `right`
/// their neighbours in the same row. Reads from[-1] and from[words], too.
void load_triples(const std::uint64_t* from, std::int64_t words, std::uint64_t* left,
                  std::uint64_t* middle, std::uint64_t* right);

}  // namespace tessera
