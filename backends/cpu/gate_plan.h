#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backends/cpu/gate_vectors.h"
#include "core/rules/state_program.h"

namespace tessera {

/// How an interpreter runs a program over a block of words: one loop per gate, over signals in
/// scratch memory that fits into the L1 cache.
///
/// A signal takes one of `buffers` buffers of `stride` words and gives it back after its last use.
/// Cells of plane 0 and functions of rows have one row more above and below the block.
struct GatePlan {
  struct Step {
    GateFunction function;
    std::array<std::int64_t, 3> in;  ///< words from the beginning of the scratch memory
    std::int64_t out;
    bool of_rows;  ///< computed for the rows above and below, too
  };
  /// A plane and where its block lies, row by row, from the beginning of the scratch memory.
  struct Place {
    int plane;
    std::int64_t at;
  };

  /// For grids of `words` words per row and `rows` rows. If `whole`, one block is all of it.
  GatePlan(const StateProgram& program, std::int64_t words, std::int64_t rows, bool whole = false);

  std::int64_t columns = 0;  ///< words of a block's rows
  std::int64_t rows = 0;     ///< of a block
  std::int64_t stride = 0;   ///< words of a buffer
  int buffers = 0;           ///< the first three hold left, middle and right cells of plane 0
  std::vector<Place> in;     ///< the planes from 1 on that gates read
  std::vector<Step> steps;
  std::vector<Place> out;  ///< the planes that gates make

  std::int64_t scratch_words() const { return buffers * stride; }
};

}  // namespace tessera
