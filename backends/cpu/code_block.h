#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tessera {

/// What addresses of compiled code count from; StripCodeFrame and RangeCodeFrame say where each is.
enum class CodeBase : std::uint8_t {
  in,         ///< the row that enters, at the first column; next_row moves it down
  out,        ///< where the next state goes, likewise
  above_a,    ///< the row two above the group
  above_b,    ///< the row above the group
  keep_a,     ///< the last row but one of the group
  keep_b,     ///< the last row of the group
  state_a,    ///< where keep_a is kept for the next group
  state_b,    ///< and keep_b
  left_a,     ///< the word left of the columns in the row two above
  left_b,     ///< and in the row above
  plane_in,   ///< another plane, which is read; next_row moves it down
  plane_out,  ///< another plane, which is written, likewise
  row_out,    ///< word 0 of the row whose columns `out` has, likewise
  seam,       ///< a constant that closes rows: `vector` is a StripSeam
  cells,      ///< RangeCodeFrame says where this and the rest are
  sums,       ///< counts of a row
  start       ///< the counts of its first column
};

struct CodePlace {
  CodeBase base = CodeBase::in;
  int plane = 0;   ///< of plane_in and plane_out; the bit of sums
  int vector = 0;  ///< vectors from there
  int row = 0;     ///< rows from there, where a column has several
  bool operator==(const CodePlace&) const = default;
};

/// A step of straight-line code over vectors. Values are numbered; each is made by one step.
struct CodeOp {
  enum class Kind : std::uint8_t {
    load,       ///< makes `out` of the memory at `place`
    store,      ///< writes in[0] to `place`
    gate,       ///< the function `table` of in[0] to in[2]; those behind the first -1 are not read
    both,       ///< in[0] & in[1]
    either,     ///< in[0] | in[1]
    differ,     ///< in[0] ^ in[1]
    second,     ///< ~in[0] & in[1]
    turn,       ///< in[0] with the bits of each 64-bit lane turned right by `table`
    right,      ///< in[0] with the bits of each lane moved right by `table`
    left,       ///< and left
    following,  ///< in[0] with the lane after each in its place, cyclic within groups of `table`
    previous,   ///< and with the lane before
    constant,   ///< all zeros, or all ones where `table` is not 0
    next_row    ///< moves what CodeBase says, if anything
  };
  Kind kind = Kind::next_row;
  int out = -1;
  std::array<int, 3> in{-1, -1, -1};
  std::uint8_t table = 0;
  CodePlace place{};
};

/// Whether a step is a gate of up to three inputs.
inline bool is_gate(const CodeOp& op) {
  return op.kind >= CodeOp::Kind::gate && op.kind <= CodeOp::Kind::second;
}

/// Code that runs from end to end. Values that outlive it are in homes, the same for all blocks
/// that follow each other: home i has enters[i] at the beginning and leaves[i] at the end.
struct CodeBlock {
  std::vector<CodeOp> ops;
  std::vector<int> enters;  ///< or empty: nothing is in the homes
  std::vector<int> leaves;
  int values = 0;
};

}  // namespace tessera
