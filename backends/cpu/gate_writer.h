#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "backends/cpu/code_block.h"

namespace tessera {

/// A value of a block or its complement; a constant where `value` is negative.
struct CodeSignal {
  int value = -1;
  bool negated = false;
};

/// Writes gates into a block for a processor with three-input logic or for one with and, or, xor
/// and and-not alone.
///
/// Constants, equal inputs and complements are folded into tables first. With two-input logic every
/// gate becomes the function that is 0 where its inputs are, and its users see the complement where
/// it should be the other: such functions need no complements themselves, and one to four
/// operations. Operations that were written before are used again, so that the sum and the carry of
/// three bits take five. With three-input logic this holds for gates of two inputs: and, or, xor
/// and and-not replace none of them, as vpternlog does, and a Zen 5 makes twice as many of them.
class GateWriter {
 public:
  GateWriter(CodeBlock& block, bool three_inputs) : block_(block), three_inputs_(three_inputs) {}

  CodeSignal load(const CodePlace& place);
  void store(const CodeSignal& signal, const CodePlace& place);
  CodeSignal gate(std::uint8_t table, const std::array<CodeSignal, 3>& in);
  /// Whether gate() gives the complement of what it writes for three different inputs.
  bool negates(std::uint8_t table) const;
  /// A signal with the bits of each 64-bit lane turned right; moved right or left, zeros following.
  CodeSignal turned(const CodeSignal& signal, int bits);
  CodeSignal moved_right(const CodeSignal& signal, int bits);
  CodeSignal moved_left(const CodeSignal& signal, int bits);
  /// A signal with the lane after each in its place, or before, cyclic within groups of `lanes`.
  CodeSignal following(const CodeSignal& signal, int lanes);
  CodeSignal previous(const CodeSignal& signal, int lanes);
  /// Goes on with the next row; what was loaded stays as it is.
  void next_row();

 private:
  int write(CodeOp op);
  int plain(const CodeSignal& signal);
  CodeSignal moved(CodeOp::Kind kind, const CodeSignal& signal, int by);

  CodeBlock& block_;
  bool three_inputs_;
  std::map<std::array<int, 5>, int> written_;  // kind, table, inputs: the value
};

/// A gate of two-input operations: step i makes node 3 + i of nodes before it, of which 0 to 2 are
/// the inputs; the last one is the result.
struct GateFormula {
  struct Step {
    CodeOp::Kind kind;
    int a, b;
  };
  std::array<Step, 4> steps{};
  int count = 0;
};

/// The shortest formula for a table that gives 0 where all inputs are 0 and reads two inputs or
/// more; found once by trying all.
const GateFormula& gate_formula(std::uint8_t table);

}  // namespace tessera
