#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backends/cpu/gate_vectors.h"
#include "core/rules/gate_program.h"

namespace tessera {

/// How an interpreter runs a program over a block of words: one loop per gate, over signals in
/// scratch memory that fits into the L1 cache.
///
/// A signal takes one of `buffers` buffers of `stride` words and gives it back after its last use.
/// Cells and functions of rows have one row more above and below the block.
struct GatePlan {
  struct Step {
    GateFunction function;
    std::array<std::int64_t, 3> in;  ///< words from the beginning of the scratch memory
    std::int64_t out;
    bool of_rows;  ///< computed for the rows above and below, too
  };

  /// For grids of `words` words per row and `rows` rows.
  GatePlan(const GateProgram& program, std::int64_t words, std::int64_t rows);

  std::int64_t columns = 0;  ///< words of a block's rows
  std::int64_t rows = 0;     ///< of a block
  std::int64_t stride = 0;   ///< words of a buffer
  int buffers = 0;           ///< the first three hold left, middle and right cells
  std::vector<Step> steps;

  std::int64_t scratch_words() const { return buffers * stride; }
  /// Where the next states of a block are, row by row.
  std::int64_t out() const { return steps.back().out; }
};

}  // namespace tessera
