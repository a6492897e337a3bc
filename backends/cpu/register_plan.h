#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backends/cpu/code_block.h"

namespace tessera {

/// Where a value of a block is while it is needed: in a register, or in a slot of memory.
struct CodeHome {
  bool in_register = true;
  int index = 0;
};

/// What an instruction reads or writes.
struct CodeOperand {
  enum class Kind : std::uint8_t { none, reg, slot, place };
  Kind kind = Kind::none;
  int index = 0;  ///< of a register or a slot
  CodePlace place{};

  static CodeOperand reg(int index) { return {Kind::reg, index, {}}; }
  static CodeOperand slot(int index) { return {Kind::slot, index, {}}; }
  bool is_reg() const { return kind == Kind::reg; }
};

/// An instruction of any x86 with vectors. `out` is a register but of a move, where one of `out`
/// and `a` is. `a` is a register, and the last operand that is there may be a slot or a place.
struct CodeInstruction {
  enum class Kind : std::uint8_t {
    move,  ///< out = a
    gate,  ///< out = the function `table` of out, a and b, as vpternlog has it
    both,  ///< out = a & b, and so on as in CodeOp
    either,
    differ,
    second,
    turn,
    right,
    left,
    following,
    previous,
    constant,
    next_row
  };
  Kind kind = Kind::next_row;
  CodeOperand out{}, a{}, b{};
  std::uint8_t table = 0;
};

/// Gives the values of a block registers. When none is free, the value whose next use is farthest
/// away goes to a slot (Belady), and stays there when it is needed again: it is written once. Steps
/// whose values nobody needs are left out. What a gate made in the last `fresh` steps is what the
/// next one replaces, or a copy of it.
///
/// Homes in slots take the first slots; slots behind them are taken and given back.
class RegisterPlan {
 public:
  /// `homes`: of the block; at most `registers` - 2 are registers. Registers: at least 4.
  RegisterPlan(const CodeBlock& block, int registers, const std::vector<CodeHome>& homes,
               int fresh);

  const std::vector<CodeInstruction>& instructions() const { return instructions_; }
  int slots() const { return slots_; }

 private:
  std::vector<CodeInstruction> instructions_;
  int slots_ = 0;
};

/// Homes for `count` values, of which at most `in_registers` are registers: 0 and on.
std::vector<CodeHome> code_homes(int count, int in_registers);

}  // namespace tessera
