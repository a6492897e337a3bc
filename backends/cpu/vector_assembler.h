#pragma once

// For builds with Xbyak alone.
#include <xbyak/xbyak.h>

#include "backends/cpu/code_block.h"
#include "backends/cpu/register_plan.h"

namespace tessera {

/// Writes the instructions of a RegisterPlan as machine code for AVX-512 or AVX2. Whoever derives
/// from it says where memory is; rax is free to address it, rdi has the frame. Its memory is
/// written first and made executable then, never both at a time.
class VectorAssembler : public Xbyak::CodeGenerator {
 public:
  virtual ~VectorAssembler() = default;

 protected:
  /// `lanes`: 8 or 4.
  explicit VectorAssembler(int lanes);

  int registers() const;
  RegisterPlan planned(const CodeBlock& block, const std::vector<CodeHome>& homes) const;
  /// Of a vector.
  int bytes() const { return bytes_; }
  void write(const RegisterPlan& plan);

 private:
  virtual Xbyak::Address slot(int index) = 0;
  virtual Xbyak::Address address(const CodePlace& place) = 0;
  virtual void next_row() {}

  void write(const CodeInstruction& each);
  void move(const CodeOperand& to, const CodeOperand& from);
  void turn_lanes(const CodeInstruction& each, int by);
  void constant(const Xbyak::Xmm& to, bool ones);
  Xbyak::Xmm reg(const CodeOperand& operand) const;
  const Xbyak::Operand& any(const CodeOperand& operand);
  Xbyak::Address memory(const CodeOperand& operand);

  bool wide_;
  int bytes_;
  Xbyak::Xmm register_;
  Xbyak::Address slot_ = ptr[rdi];
};

}  // namespace tessera
