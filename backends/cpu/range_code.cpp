#include "backends/cpu/range_code.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "backends/cpu/machine_code.h"
#include "core/base/error.h"

#if defined(TESSERA_HAVE_XBYAK) && defined(__x86_64__)
#include "backends/cpu/box_kernel.h"
#include "backends/cpu/register_plan.h"
#include "backends/cpu/vector_assembler.h"

namespace tessera {
namespace {

constexpr int kBytesOfGroup = 8 * kBoxLanes;  // bytes

// The loop of one part over columns.
class RangeAssembly final : public VectorAssembler {
 public:
  RangeAssembly(const RowCode& code, const RangeCodeStrides& strides, int lanes)
      : VectorAssembler(lanes), strides_(strides) {
    const int count = static_cast<int>(code.body.leaves.size());
    const auto homes = code_homes(count, std::min(count, registers() - kFree));
    const RegisterPlan enter = planned(code.enter, homes), body = planned(code.body, homes);
    slots_ = std::max(enter.slots(), body.slots());
    mov(r8, ptr[rdi + offsetof(RangeCodeFrame, cells)]);
    mov(rsi, ptr[rdi + offsetof(RangeCodeFrame, sums)]);
    mov(r11, ptr[rdi + offsetof(RangeCodeFrame, lane)]);
    write(enter);
    align(32);
    Xbyak::Label loop;
    L(loop);
    write(body);
    add(r11, kBytesOfGroup);
    cmp(r11, ptr[rdi + offsetof(RangeCodeFrame, end)]);
    jl(loop, T_NEAR);
    vzeroupper();
    ret();
    readyRE();
  }
  int slots() const { return slots_; }

 private:
  static constexpr int kFree = 8;  // registers that are no homes

  Xbyak::Address slot(int index) override {
    return ptr[rdi + static_cast<int>(sizeof(RangeCodeFrame)) + index * bytes()];
  }

  Xbyak::Address address(const CodePlace& place) override {
    const auto in_row =
        static_cast<int>(8 * strides_.row * place.row + kBytesOfGroup * place.vector);
    const auto plane = [&](std::size_t pointers) {
      mov(rax, ptr[rdi + static_cast<int>(pointers) + 8 * place.plane]);
      return ptr[rax + r11 + in_row];
    };
    switch (place.base) {
      case CodeBase::cells:
        return ptr[r8 + r11 + in_row];
      case CodeBase::sums:
        return ptr[rsi + r11 + static_cast<int>(8 * strides_.sums) * place.plane];
      case CodeBase::start:
        mov(rax, ptr[rdi + offsetof(RangeCodeFrame, start)]);
        return ptr[rax + r11 + kBytesOfGroup * place.plane];
      case CodeBase::plane_in:
        return plane(offsetof(RangeCodeFrame, planes_in));
      case CodeBase::plane_out:
        return plane(offsetof(RangeCodeFrame, planes_out));
      default:  // of other code
        break;
    }
    return ptr[rdi];
  }

  RangeCodeStrides strides_;
  int slots_ = 0;
};

class XbyakRangeCode final : public RangeCode {
 public:
  XbyakRangeCode(const std::vector<RowCode>& parts, const RangeCodeStrides& strides, int lanes)
      : lanes_(lanes) {
    for (const RowCode& part : parts)
      parts_.push_back(std::make_unique<RangeAssembly>(part, strides, lanes));
  }

  std::int64_t frame_words() const override {
    int slots = 0;
    for (const auto& part : parts_) slots = std::max(slots, part->slots());
    return static_cast<std::int64_t>(sizeof(RangeCodeFrame)) / 8 + std::int64_t{slots} * lanes_;
  }

  // Shorter vectors do the lanes of a group one after the other.
  void run(std::size_t part, RangeCodeFrame& frame) const override {
    for (std::int64_t lane = 0; lane < kBoxLanes; lane += lanes_) {
      frame.lane = 8 * lane;
      parts_[part]->getCode<void (*)(RangeCodeFrame*)>()(&frame);
    }
  }

 private:
  std::int64_t lanes_;
  std::vector<std::unique_ptr<RangeAssembly>> parts_;
};

}  // namespace

std::unique_ptr<const RangeCode> RangeCode::of(const std::vector<RowCode>& parts,
                                               const RangeCodeStrides& strides, int lanes) {
  if (const auto why = missing_machine_code(lanes)) throw UnsupportedError(*why);
  try {
    return std::make_unique<XbyakRangeCode>(parts, strides, lanes);
  } catch (const Xbyak::Error& error) {
    throw UnsupportedError(std::string("no machine code can be made of the rule: ") + error.what());
  }
}

}  // namespace tessera

#else

namespace tessera {

std::unique_ptr<const RangeCode> RangeCode::of(const std::vector<RowCode>&, const RangeCodeStrides&,
                                               int lanes) {
  throw UnsupportedError(missing_machine_code(lanes).value_or(""));
}

}  // namespace tessera

#endif
