#include "backends/cpu/strip_code.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/error.h"

#if defined(TESSERA_HAVE_XBYAK) && defined(__x86_64__)
#include <xbyak/xbyak.h>

#include "backends/cpu/column_code.h"
#include "backends/cpu/register_plan.h"

namespace tessera {
namespace {

using Kind = CodeInstruction::Kind;

constexpr int kMostColumns = 3;
// Instructions of a loop's body: more would not stay in the processor's cache of decoded ones.
constexpr std::size_t kMostInstructions = 1500;
// What a wider block of columns leaves free for values between gates.
constexpr int kSpareRegisters = 2;

std::size_t estimate_of(const CodeBlock& block) { return 2 * block.ops.size(); }

// The function for one number of columns.
class Assembly : public Xbyak::CodeGenerator {
 public:
  Assembly(const ColumnCode& code, const std::vector<CodeHome>& homes, int lanes)
      : CodeGenerator(1 << 16, Xbyak::AutoGrow), wide_(lanes == kMaxLanes), bytes_(8 * lanes) {
    const int registers = wide_ ? 32 : 16;
    const RegisterPlan enter(code.enter, registers, homes), body(code.body, registers, homes);
    slots_ = std::max(enter.slots(), body.slots());
    mov(r8, ptr[rdi + offsetof(StripCodeFrame, in)]);
    mov(r9, ptr[rdi + offsetof(StripCodeFrame, out)]);
    mov(r10, ptr[rdi + offsetof(StripCodeFrame, stride)]);
    mov(rcx, ptr[rdi + offsetof(StripCodeFrame, rows)]);
    xor_(r11, r11);
    write(enter);
    align(32);
    Xbyak::Label loop;
    L(loop);
    write(body);
    sub(rcx, code.rows);
    jnz(loop, T_NEAR);
    vzeroupper();
    ret();
    readyRE();
  }
  int slots() const { return slots_; }

 private:
  void write(const RegisterPlan& plan) {
    for (const CodeInstruction& each : plan.instructions()) write(each);
  }

  void write(const CodeInstruction& each) {
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
      case Kind::constant:
        constant(reg(each.out), each.table != 0);
        break;
      case Kind::next_row:
        add(r8, r10);
        add(r9, r10);
        add(r11, r10);
        break;
    }
  }

  void move(const CodeOperand& to, const CodeOperand& from) {
    if (to.is_reg() && from.is_reg()) {
      wide_ ? vmovdqa64(reg(to), reg(from)) : vmovdqa(reg(to), reg(from));
    } else if (to.is_reg()) {
      wide_ ? vmovdqu64(reg(to), address(from)) : vmovdqu(reg(to), address(from));
    } else {
      wide_ ? vmovdqu64(address(to), reg(from)) : vmovdqu(address(to), reg(from));
    }
  }

  void constant(const Xbyak::Xmm& to, bool ones) {
    if (wide_) {
      ones ? vpternlogd(to, to, to, 0xFF) : vpxorq(to, to, to);
    } else {
      ones ? vpcmpeqd(to, to, to) : vpxor(to, to, to);
    }
  }

  Xbyak::Xmm reg(const CodeOperand& operand) const {
    if (wide_) return Xbyak::Zmm(operand.index);
    return Xbyak::Ymm(operand.index);
  }
  // Not a place: these take registers to address.
  const Xbyak::Operand& any(const CodeOperand& operand) {
    if (operand.is_reg()) {
      register_ = reg(operand);
      return register_;
    }
    slot_ = address(operand);
    return slot_;
  }

  Xbyak::Address address(const CodeOperand& operand) {
    if (operand.kind == CodeOperand::Kind::slot)
      return ptr[rdi + static_cast<int>(sizeof(StripCodeFrame)) + operand.index * bytes_];
    const CodePlace& place = operand.place;
    const int at = place.vector * bytes_;
    const auto through = [&](std::size_t pointer) {
      mov(rax, ptr[rdi + static_cast<int>(pointer)]);
      return ptr[rax + at];
    };
    const auto plane = [&](std::size_t pointers) {
      mov(rax, ptr[rdi + static_cast<int>(pointers) + 8 * place.plane]);
      return ptr[rax + r11 + at];
    };
    switch (place.base) {
      case CodeBase::in:
        return ptr[r8 + at];
      case CodeBase::out:
        return ptr[r9 + at];
      case CodeBase::above_a:
        return through(offsetof(StripCodeFrame, above_a));
      case CodeBase::above_b:
        return through(offsetof(StripCodeFrame, above_b));
      case CodeBase::keep_a:
        return through(offsetof(StripCodeFrame, keep_a));
      case CodeBase::keep_b:
        return through(offsetof(StripCodeFrame, keep_b));
      case CodeBase::state_a:
        return through(offsetof(StripCodeFrame, state_a));
      case CodeBase::state_b:
        return through(offsetof(StripCodeFrame, state_b));
      case CodeBase::left_a:
        return ptr[rdi + offsetof(StripCodeFrame, left_a)];
      case CodeBase::left_b:
        return ptr[rdi + offsetof(StripCodeFrame, left_b)];
      case CodeBase::plane_in:
        return plane(offsetof(StripCodeFrame, planes_in));
      case CodeBase::plane_out:
        return plane(offsetof(StripCodeFrame, planes_out));
    }
    return ptr[rdi];
  }

  bool wide_;
  int bytes_;
  int slots_ = 0;
  Xbyak::Xmm register_;
  Xbyak::Address slot_ = ptr[rdi];
};

class XbyakCode final : public StripCode {
 public:
  XbyakCode(const StateProgram& program, int lanes) : lanes_(lanes) {
    const bool wide = lanes == kMaxLanes;
    const int registers = wide ? 32 : 16;
    for (int columns = 1; columns <= kMostColumns; columns++) {
      ColumnCode code(program, columns, 1, wide);
      // More columns share loads, but not at the price of spills.
      if (columns > 1 && code.live > registers - kSpareRegisters) break;
      for (const int rows : {2, kRowStep}) {
        ColumnCode more(program, columns, rows, wide);
        if (estimate_of(more.body) <= kMostInstructions) code = std::move(more);
      }
      const int homes = static_cast<int>(code.body.leaves.size());
      const int between = code.live - homes + kSpareRegisters;
      const int in_registers = std::clamp(registers - between, registers / 4, registers - 4);
      parts_.push_back(std::make_unique<Assembly>(code, code_homes(homes, in_registers), lanes));
    }
  }

  int columns() const override { return static_cast<int>(parts_.size()); }
  std::int64_t frame_words() const override {
    int slots = 0;
    for (const auto& part : parts_) slots = std::max(slots, part->slots());
    return static_cast<std::int64_t>(sizeof(StripCodeFrame)) / 8 + std::int64_t{slots} * lanes_;
  }
  void run(int columns, StripCodeFrame& frame) const override {
    parts_[static_cast<std::size_t>(columns - 1)]->getCode<void (*)(StripCodeFrame*)>()(&frame);
  }

 private:
  int lanes_;
  std::vector<std::unique_ptr<Assembly>> parts_;  // for 1 column, 2 and so on
};

// The code that this process made last.
class Made {
 public:
  std::shared_ptr<const StripCode> of(const StateProgram& program, int lanes) {
    const Key key = key_of(program, lanes);
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const StripCode>& code = all_[key];
    if (code) return code;
    try {
      code = std::make_shared<XbyakCode>(program, lanes);
    } catch (const Xbyak::Error& error) {
      all_.erase(key);
      throw UnsupportedError(std::string("no machine code can be made of the rule: ") +
                             error.what());
    }
    const std::shared_ptr<const StripCode> made = code;
    if (all_.size() > kMost) all_.clear();
    return made;
  }

 private:
  static constexpr std::size_t kMost = 100;
  using Key = std::vector<std::uint16_t>;

  static Key key_of(const StateProgram& program, int lanes) {
    Key key{static_cast<std::uint16_t>(lanes), static_cast<std::uint16_t>(program.planes),
            static_cast<std::uint16_t>(program.lives.rows.size()),
            static_cast<std::uint16_t>(program.lives.gates.size())};
    for (const std::uint8_t row : program.lives.rows) key.push_back(row);
    for (const auto* gates : {&program.lives.gates, &program.gates}) {
      for (const ProgramGate& gate : *gates) {
        key.push_back(gate.table);
        key.insert(key.end(), gate.in.begin(), gate.in.end());
      }
    }
    key.insert(key.end(), program.next.begin(), program.next.end());
    return key;
  }

  std::mutex mutex_;
  std::map<Key, std::shared_ptr<const StripCode>> all_;
};

// Whether the system gives out memory that becomes executable after it was written.
std::optional<std::string> refused() {
  try {
    struct Probe : Xbyak::CodeGenerator {
      Probe() : CodeGenerator(4096, Xbyak::AutoGrow) {
        ret();
        readyRE();
      }
    } probe;
    return std::nullopt;
  } catch (const Xbyak::Error& error) {
    return std::string("the system refuses executable memory: ") + error.what();
  }
}

}  // namespace

std::shared_ptr<const StripCode> StripCode::of(const StateProgram& program, int lanes) {
  if (const std::optional<std::string> why = missing(lanes)) throw UnsupportedError(*why);
  static Made made;
  return made.of(program, lanes);
}

std::optional<std::string> StripCode::missing(int lanes) {
  if (lanes != kMaxLanes && lanes != kMaxLanes / 2)
    return "it needs AVX2 or AVX-512, which are not in use here";
  static const std::optional<std::string> kRefused = refused();
  return kRefused;
}

}  // namespace tessera

#else

namespace tessera {

std::shared_ptr<const StripCode> StripCode::of(const StateProgram&, int lanes) {
  throw UnsupportedError(missing(lanes).value_or(""));
}

std::optional<std::string> StripCode::missing(int) {
#if defined(__x86_64__)
  return "not in this build: CMake did not find the headers of Xbyak";
#else
  return "it makes code for x86-64 alone";
#endif
}

}  // namespace tessera

#endif
