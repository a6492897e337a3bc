#include "backends/cpu/strip_code.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "backends/cpu/machine_code.h"
#include "core/base/error.h"

#if defined(TESSERA_HAVE_XBYAK) && defined(__x86_64__)
#include "backends/cpu/column_code.h"
#include "backends/cpu/register_plan.h"
#include "backends/cpu/vector_assembler.h"

namespace tessera {
namespace {

constexpr int kMostColumns = 3;
// Instructions of a loop's body: more would not stay in the processor's cache of decoded ones.
constexpr std::size_t kMostInstructions = 1500;
// What a wider block of columns leaves free for values between gates.
constexpr int kSpareRegisters = 2;
// Registers that are nobody's home. With more of them long programs are up to 7 % slower.
constexpr int kBetweenHomes = 4;

std::size_t estimate_of(const CodeBlock& block) { return 2 * block.ops.size(); }

// The function for one number of columns.
class Assembly final : public VectorAssembler {
 public:
  Assembly(const ColumnCode& code, const std::vector<CodeHome>& homes, int lanes)
      : VectorAssembler(lanes) {
    const RegisterPlan enter = planned(code.enter, homes), body = planned(code.body, homes);
    slots_ = std::max(enter.slots(), body.slots());
    find_pointers(code);
    for (std::size_t i = 1; i < pointers_.size(); i++) push(kOurs[i]);
    for (std::size_t i = 0; i < pointers_.size(); i++)
      mov(kOurs[i], ptr[rdi + frame_offset(pointers_[i])]);
    mov(r8, ptr[rdi + offsetof(StripCodeFrame, in)]);
    mov(r9, ptr[rdi + offsetof(StripCodeFrame, out)]);
    mov(r10, ptr[rdi + offsetof(StripCodeFrame, stride)]);
    mov(rcx, ptr[rdi + offsetof(StripCodeFrame, rows)]);
    mov(rdx, ptr[rdi + offsetof(StripCodeFrame, to_row)]);
    xor_(r11, r11);
    write(enter);
    align(32);
    Xbyak::Label loop;
    L(loop);
    write(body);
    sub(rcx, code.rows);
    jnz(loop, T_NEAR);
    for (std::size_t i = pointers_.size(); i-- > 1;) pop(kOurs[i]);
    vzeroupper();
    ret();
    readyRE();
  }
  int slots() const { return slots_; }

 private:
  void next_row() override {
    add(r8, r10);
    add(r9, r10);
    add(r11, r10);
  }
  Xbyak::Address slot(int index) override {
    return ptr[rdi + static_cast<int>(sizeof(StripCodeFrame)) + index * bytes()];
  }
  Xbyak::Address address(const CodePlace& place) override {
    const int at = place.vector * bytes();
    const auto through = [&](std::size_t pointer) {
      mov(rax, ptr[rdi + static_cast<int>(pointer)]);
      return ptr[rax + at];
    };
    const auto plane = [&] {
      const auto known = std::ranges::find(pointers_, Pointer{place.base, place.plane});
      if (known != pointers_.end()) return ptr[kOurs[known - pointers_.begin()] + r11 + at];
      mov(rax, ptr[rdi + frame_offset({place.base, place.plane})]);
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
      case CodeBase::row_out:
        return ptr[r9 + rdx + at];
      case CodeBase::seam:
        return ptr[rdi + static_cast<int>(offsetof(StripCodeFrame, seams)) +
                   place.vector * static_cast<int>(sizeof(StripCodeFrame::seams[0]))];
      case CodeBase::plane_in:
      case CodeBase::plane_out:
        return plane();
      default:  // of other code
        break;
    }
    return ptr[rdi];
  }

  // Of a plane that is read or written: its base, and which it is.
  using Pointer = std::pair<CodeBase, int>;

  static int frame_offset(const Pointer& to) {
    const std::size_t all = to.first == CodeBase::plane_in ? offsetof(StripCodeFrame, planes_in)
                                                           : offsetof(StripCodeFrame, planes_out);
    return static_cast<int>(all) + 8 * to.second;
  }
  // The first planes' pointers are in registers of their own.
  void find_pointers(const ColumnCode& code) {
    for (const CodeBlock* block : {&code.enter, &code.body}) {
      for (const CodeOp& op : block->ops) {
        const Pointer to{op.place.base, op.place.plane};
        if (to.first != CodeBase::plane_in && to.first != CodeBase::plane_out) continue;
        if (pointers_.size() == kOurs.size()) return;
        if (std::ranges::count(pointers_, to) == 0) pointers_.push_back(to);
      }
    }
  }

  // All but the first are the caller's, who gets them back.
  const std::array<Xbyak::Reg64, 7> kOurs{rsi, rbx, rbp, r12, r13, r14, r15};
  std::vector<Pointer> pointers_;
  int slots_ = 0;
};

class XbyakCode final : public StripCode {
 public:
  XbyakCode(const StateProgram& program, int lanes, const RowClosing& closing) : lanes_(lanes) {
    const bool wide = has_three_input_gates(lanes);
    const int registers = code_registers(lanes);
    for (int columns = 1; columns <= kMostColumns; columns++) {
      ColumnCode code(program, columns, 1, wide);
      // More columns share loads, but not at the price of spills.
      if (columns > 1 && code.live > registers - kSpareRegisters) break;
      for (const int rows : {2, kRowStep}) {
        ColumnCode more(program, columns, rows, wide);
        if (estimate_of(more.body) <= kMostInstructions) code = std::move(more);
      }
      within_.push_back(assembled(code, registers));
      closing_.push_back(
          assembled(ColumnCode(program, columns, code.rows, wide, closing), registers));
    }
  }

  int columns() const override { return static_cast<int>(within_.size()); }
  std::int64_t frame_words() const override {
    int slots = 0;
    for (const auto* parts : {&within_, &closing_})
      for (const auto& part : *parts) slots = std::max(slots, part->slots());
    return static_cast<std::int64_t>(sizeof(StripCodeFrame)) / 8 + std::int64_t{slots} * lanes_;
  }
  void run(int columns, bool closes, StripCodeFrame& frame) const override {
    const auto& parts = closes ? closing_ : within_;
    parts[static_cast<std::size_t>(columns - 1)]->getCode<void (*)(StripCodeFrame*)>()(&frame);
  }

 private:
  std::unique_ptr<Assembly> assembled(const ColumnCode& code, int registers) const {
    const int homes = static_cast<int>(code.body.leaves.size());
    return std::make_unique<Assembly>(code, code_homes(homes, registers - kBetweenHomes), lanes_);
  }

  int lanes_;
  // For 1 column, 2 and so on: within rows, and at their ends.
  std::vector<std::unique_ptr<Assembly>> within_, closing_;
};

// The code that this process made last.
class Made {
 public:
  std::shared_ptr<const StripCode> of(const StateProgram& program, int lanes,
                                      const RowClosing& closing) {
    Key key = key_of(program, lanes);
    for (const int each : {static_cast<int>(closing.ends), static_cast<int>(closing.unequal),
                           closing.segments, static_cast<int>(closing.joined)})
      key.push_back(static_cast<std::uint16_t>(each));
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const StripCode>& code = all_[key];
    if (code) return code;
    try {
      code = std::make_shared<XbyakCode>(program, lanes, closing);
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

}  // namespace

std::shared_ptr<const StripCode> StripCode::of(const StateProgram& program, int lanes,
                                               const RowClosing& closing) {
  if (const std::optional<std::string> why = missing_machine_code(lanes))
    throw UnsupportedError(*why);
  static Made made;
  return made.of(program, lanes, closing);
}

}  // namespace tessera

#else

namespace tessera {

std::shared_ptr<const StripCode> StripCode::of(const StateProgram&, int lanes, const RowClosing&) {
  throw UnsupportedError(missing_machine_code(lanes).value_or(""));
}

}  // namespace tessera

#endif
