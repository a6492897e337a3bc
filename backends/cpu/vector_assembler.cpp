#if defined(TESSERA_HAVE_XBYAK) && defined(__x86_64__)
#include "backends/cpu/vector_assembler.h"

#include "backends/cpu/machine_code.h"

namespace tessera {

using Kind = CodeInstruction::Kind;

VectorAssembler::VectorAssembler(int lanes)
    : CodeGenerator(1 << 16, Xbyak::AutoGrow),
      wide_(has_three_input_gates(lanes)),
      bytes_(8 * lanes) {}

int VectorAssembler::registers() const { return code_registers(bytes_ / 8); }

RegisterPlan VectorAssembler::planned(const CodeBlock& block,
                                      const std::vector<CodeHome>& homes) const {
  return {block, registers(), homes, fresh_steps()};
}

void VectorAssembler::write(const RegisterPlan& plan) {
  for (const CodeInstruction& each : plan.instructions()) write(each);
}

void VectorAssembler::write(const CodeInstruction& each) {
  switch (each.kind) {
    case Kind::move:
      move(each.out, each.a);
      break;
    case Kind::gate:
      vpternlogq(reg(each.out), reg(each.a), any(each.b), each.table);
      break;
    case Kind::both:
      wide_ ? vpandq(reg(each.out), reg(each.a), any(each.b))
            : vpand(reg(each.out), reg(each.a), any(each.b));
      break;
    case Kind::either:
      wide_ ? vporq(reg(each.out), reg(each.a), any(each.b))
            : vpor(reg(each.out), reg(each.a), any(each.b));
      break;
    case Kind::differ:
      wide_ ? vpxorq(reg(each.out), reg(each.a), any(each.b))
            : vpxor(reg(each.out), reg(each.a), any(each.b));
      break;
    case Kind::second:
      wide_ ? vpandnq(reg(each.out), reg(each.a), any(each.b))
            : vpandn(reg(each.out), reg(each.a), any(each.b));
      break;
    case Kind::turn:
      vprorq(reg(each.out), reg(each.a), each.table);
      break;
    case Kind::right:
      vpsrlq(reg(each.out), reg(each.a), each.table);
      break;
    case Kind::left:
      vpsllq(reg(each.out), reg(each.a), each.table);
      break;
    case Kind::following:
      turn_lanes(each, 1);
      break;
    case Kind::previous:
      turn_lanes(each, each.table - 1);
      break;
    case Kind::constant:
      constant(reg(each.out), each.table != 0);
      break;
    case Kind::next_row:
      next_row();
      break;
  }
}

void VectorAssembler::move(const CodeOperand& to, const CodeOperand& from) {
  if (to.is_reg() && from.is_reg()) {
    wide_ ? vmovdqa64(reg(to), reg(from)) : vmovdqa(reg(to), reg(from));
  } else if (to.is_reg()) {
    wide_ ? vmovdqu64(reg(to), memory(from)) : vmovdqu(reg(to), memory(from));
  } else {
    wide_ ? vmovdqu64(memory(to), reg(from)) : vmovdqu(memory(to), reg(from));
  }
}

// Lane i becomes the one `by` lanes after it, cyclic within groups of 2, 4 or 8.
void VectorAssembler::turn_lanes(const CodeInstruction& each, int by) {
  const auto lanes = static_cast<int>(each.table);
  if (lanes == 2) {
    vpshufd(reg(each.out), reg(each.a), 0x4E);
  } else if (lanes == 4) {
    int order = 0;
    for (int i = 0; i < lanes; i++) order |= (i + by) % lanes << 2 * i;
    const auto places = static_cast<std::uint8_t>(order);
    wide_ ? vpermq(Xbyak::Zmm(each.out.index), Xbyak::Zmm(each.a.index), places)
          : vpermq(Xbyak::Ymm(each.out.index), Xbyak::Ymm(each.a.index), places);
  } else {
    valignq(reg(each.out), reg(each.a), reg(each.a), static_cast<std::uint8_t>(by));
  }
}

void VectorAssembler::constant(const Xbyak::Xmm& to, bool ones) {
  if (wide_) {
    ones ? vpternlogd(to, to, to, 0xFF) : vpxorq(to, to, to);
  } else {
    ones ? vpcmpeqd(to, to, to) : vpxor(to, to, to);
  }
}

Xbyak::Xmm VectorAssembler::reg(const CodeOperand& operand) const {
  if (wide_) return Xbyak::Zmm(operand.index);
  return Xbyak::Ymm(operand.index);
}

// Whoever calls writes what the address needs before the instruction.
const Xbyak::Operand& VectorAssembler::any(const CodeOperand& operand) {
  if (operand.is_reg()) {
    register_ = reg(operand);
    return register_;
  }
  slot_ = memory(operand);
  return slot_;
}

Xbyak::Address VectorAssembler::memory(const CodeOperand& operand) {
  return operand.kind == CodeOperand::Kind::slot ? slot(operand.index) : address(operand.place);
}

}  // namespace tessera
#endif
