#include "backends/cpu/register_plan.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "core/rules/gate_table.h"

namespace tessera {
namespace {

using InstructionKind = CodeInstruction::Kind;
constexpr int kNone = -1;
constexpr int kNever = std::numeric_limits<int>::max();
// Steps that a value may be older than another to be replaced in its place without a copy.
constexpr int kCopySteps = 2;

class Planner {
 public:
  Planner(const CodeBlock& block, int registers, const std::vector<CodeHome>& homes, int fresh)
      : block_(block),
        homes_(homes),
        held_(static_cast<std::size_t>(registers), kNone),
        locked_(held_.size()),
        values_(static_cast<std::size_t>(block.values)),
        fresh_(fresh),
        end_(static_cast<int>(block.ops.size())) {
    for (const CodeHome& home : homes) {
      int& count = home.in_register ? in_homes_ : fixed_slots_;
      count = std::max(count, home.index + 1);
    }
    slots_ = fixed_slots_;
    find_uses();
  }

  void run() {
    for (std::size_t i = 0; i < block_.leaves.size(); i++)
      if (homes_[i].in_register) of(block_.leaves[i]).home = homes_[i].index;
    for (std::size_t i = 0; i < block_.enters.size(); i++) enter(block_.enters[i], homes_[i]);
    for (now_ = 0; now_ < end_; now_++) {
      const CodeOp& op = block_.ops[static_cast<std::size_t>(now_)];
      if (op.out >= 0 && of(op.out).uses.empty()) continue;
      step(op);
    }
    leave();
  }

  std::vector<CodeInstruction> out;
  int slots() const { return slots_; }

 private:
  struct Value {
    std::vector<int> uses{};  // the steps that read it, the last first; end_ where it leaves
    int reg = kNone, slot = kNone;
    std::optional<CodePlace> place{};  // in memory, where it is in neither
    int leaving = 0;                   // homes that it has yet to reach
    int made = -kNever;                // the step, if a gate made it
    int home = kNone;                  // the register that it leaves in
  };
  struct Leaving {
    int value;
    CodeHome home;
  };

  Value& of(int value) { return values_[static_cast<std::size_t>(value)]; }
  int& held(int reg) { return held_[static_cast<std::size_t>(reg)]; }

  // Backwards, so that steps without use read nothing.
  void find_uses() {
    for (const int value : block_.leaves) of(value).uses.push_back(end_);
    for (int i = end_ - 1; i >= 0; i--) {
      const CodeOp& op = block_.ops[static_cast<std::size_t>(i)];
      if (op.out >= 0 && of(op.out).uses.empty()) continue;
      for (const int value : op.in) {
        if (value >= 0 && (of(value).uses.empty() || of(value).uses.back() != i))
          of(value).uses.push_back(i);
      }
    }
  }

  void enter(int value, const CodeHome& home) {
    if (of(value).uses.empty()) return;
    if (home.in_register) {
      hold(home.index, value);
    } else {
      of(value).slot = home.index;
    }
  }

  void hold(int reg, int value) {
    held(reg) = value;
    of(value).reg = reg;
  }

  // The next step that reads a value, after those that are done.
  int next_use(int value) const {
    const auto& uses = values_[static_cast<std::size_t>(value)].uses;
    return uses.empty() ? kNever : uses.back();
  }
  bool ends_here(int value) const {
    const auto& uses = values_[static_cast<std::size_t>(value)].uses;
    return uses.size() == 1 && uses.back() == now_;
  }

  void emit(InstructionKind kind, const CodeOperand& to, const CodeOperand& a,
            const CodeOperand& b = {}, std::uint8_t table = 0) {
    out.push_back({kind, to, a, b, table});
  }

  int new_slot() {
    if (free_slots_.empty()) return slots_++;
    const int slot = free_slots_.back();
    free_slots_.pop_back();
    return slot;
  }
  void give_back(Value& value) {
    if (value.slot >= fixed_slots_) free_slots_.push_back(value.slot);
    value.slot = kNone;
    if (value.reg != kNone) held(value.reg) = kNone;
    value.reg = kNone;
  }

  // Moves what is in a register to a slot, if it is not in one.
  void spill(int reg) {
    Value& value = of(held(reg));
    if (value.slot == kNone) {
      value.slot = new_slot();
      emit(InstructionKind::move, CodeOperand::slot(value.slot), CodeOperand::reg(reg));
    }
    value.reg = kNone;
    held(reg) = kNone;
  }

  // A register for a value: its home, one that is nobody's home, any that is free, or that of the
  // value that is needed latest and not pinned.
  int take(int value_for) {
    const int home = of(value_for).home;
    if (home != kNone && held(home) == kNone) return home;
    const auto away = std::find(held_.begin() + in_homes_, held_.end(), kNone);
    if (away != held_.end()) return static_cast<int>(away - held_.begin());
    int best = kNone, farthest = -1;
    for (int reg = 0; reg < std::ssize(held_); reg++) {
      const int value = held(reg);
      if (value == kNone) return reg;
      if (std::find(pinned_.begin(), pinned_.end(), value) != pinned_.end()) continue;
      const int next = next_use(value);
      // Of two that are needed equally late, the one that is in a slot already costs less.
      const int rank = next == kNever ? kNever : 2 * next + (of(value).slot != kNone);
      if (rank > farthest) farthest = rank, best = reg;
    }
    spill(best);
    return best;
  }

  // What one gate alone reads, before anything is stored, it takes from memory itself: processors
  // count that as one instruction.
  bool read_in_place(const CodeOp& load) {
    Value& value = of(load.out);
    const int reader = value.uses.back();
    if (value.uses.size() > 1 || reader == end_) return false;
    const auto begin = block_.ops.begin();
    if (!is_gate(begin[reader]) || begin[reader].in[1] < 0) return false;
    const auto ends = [](const CodeOp& op) {
      return op.kind == CodeOp::Kind::store || op.kind == CodeOp::Kind::next_row;
    };
    if (std::any_of(begin + now_, begin + reader, ends)) return false;
    value.place = load.place;
    return true;
  }

  CodeOperand in_register(int value) {
    if (of(value).reg == kNone) {
      const CodeOperand from = anywhere(value);
      const int reg = take(value);
      emit(InstructionKind::move, CodeOperand::reg(reg), from);
      hold(reg, value);
    }
    return CodeOperand::reg(of(value).reg);
  }
  // In a slot only if it is in no register.
  CodeOperand anywhere(int value) {
    if (of(value).reg != kNone) return CodeOperand::reg(of(value).reg);
    if (of(value).slot != kNone) return CodeOperand::slot(of(value).slot);
    return {CodeOperand::Kind::place, 0, *of(value).place};
  }

  void step(const CodeOp& op) {
    pinned_.clear();
    for (const int value : op.in)
      if (value >= 0) pinned_.push_back(value);
    switch (op.kind) {
      case CodeOp::Kind::load: {
        if (read_in_place(op)) break;
        const int reg = take(op.out);
        emit(InstructionKind::move, CodeOperand::reg(reg), {CodeOperand::Kind::place, 0, op.place});
        hold(reg, op.out);
        break;
      }
      case CodeOp::Kind::store: {
        const CodeOperand from = in_register(op.in[0]);
        emit(InstructionKind::move, {CodeOperand::Kind::place, 0, op.place}, from);
        done_with(op);
        break;
      }
      case CodeOp::Kind::constant: {
        const int reg = take(op.out);
        emit(InstructionKind::constant, CodeOperand::reg(reg), {}, {}, op.table);
        hold(reg, op.out);
        break;
      }
      case CodeOp::Kind::next_row:
        emit(InstructionKind::next_row, {}, {});
        break;
      case CodeOp::Kind::gate:
        gate(op);
        break;
      case CodeOp::Kind::both:
        two_inputs(InstructionKind::both, op);
        break;
      case CodeOp::Kind::either:
        two_inputs(InstructionKind::either, op);
        break;
      case CodeOp::Kind::differ:
        two_inputs(InstructionKind::differ, op);
        break;
      case CodeOp::Kind::second:
        two_inputs(InstructionKind::second, op);
        break;
      case CodeOp::Kind::turn:
        one_input(InstructionKind::turn, op);
        break;
      case CodeOp::Kind::right:
        one_input(InstructionKind::right, op);
        break;
      case CodeOp::Kind::left:
        one_input(InstructionKind::left, op);
        break;
      case CodeOp::Kind::following:
        one_input(InstructionKind::following, op);
        break;
      case CodeOp::Kind::previous:
        one_input(InstructionKind::previous, op);
        break;
    }
  }

  // Inputs that nobody needs any more give back what they have.
  void done_with(const CodeOp& op) {
    for (const int in : op.in) {
      if (in < 0 || of(in).uses.empty() || of(in).uses.back() != now_) continue;
      of(in).uses.pop_back();
      if (of(in).uses.empty()) give_back(of(in));
    }
  }

  void one_input(InstructionKind kind, const CodeOp& op) {
    const CodeOperand from = in_register(op.in[0]);
    const int reg = ends_here(op.in[0]) ? from.index : take(op.out);
    emit(kind, CodeOperand::reg(reg), from, {}, op.table);
    done_with(op);
    hold(reg, op.out);
  }

  void two_inputs(InstructionKind kind, const CodeOp& op) {
    int a = op.in[0], b = op.in[1];
    if (kind != InstructionKind::second && of(a).reg == kNone && of(b).reg != kNone)
      std::swap(a, b);
    const CodeOperand first = in_register(a);
    const CodeOperand other = anywhere(b);
    // Taken before anything is given back: what has to leave must not overwrite an input.
    const int reg = ends_here(a)                     ? first.index
                    : other.is_reg() && ends_here(b) ? other.index
                                                     : take(op.out);
    emit(kind, CodeOperand::reg(reg), first, other);
    done_with(op);
    hold(reg, op.out);
    of(op.out).made = now_;
  }

  void gate(const CodeOp& op) {
    std::vector<int> in;
    for (const int value : op.in)
      if (value >= 0) in.push_back(value);
    // At most one input stays in its slot: the one that is needed latest.
    int outside = kNone;
    for (int i = 0; i < std::ssize(in); i++) {
      const int value = in[static_cast<std::size_t>(i)];
      if (of(value).reg != kNone) continue;
      if (outside == kNone || later(value, in[static_cast<std::size_t>(outside)])) outside = i;
    }
    for (int i = 0; i < std::ssize(in); i++)
      if (i != outside) in_register(in[static_cast<std::size_t>(i)]);
    const int first = replaced_by(in, outside);
    const int replaced = in[static_cast<std::size_t>(first)];
    int reg = of(replaced).reg;
    if (first == outside || !ends_here(replaced)) {
      reg = take(op.out);
      emit(InstructionKind::move, CodeOperand::reg(reg), copy_of(replaced));
    }
    // The order of the instruction's operands: the one that is replaced, and one in a slot last.
    std::array<int, 3> order{0, 1, 2};
    std::swap(order[0], order[static_cast<std::size_t>(first)]);
    if (outside != kNone && outside != first && order[1] == outside) std::swap(order[1], order[2]);
    std::array<CodeOperand, 3> operands{CodeOperand::reg(reg), CodeOperand::reg(reg),
                                        CodeOperand::reg(reg)};
    for (std::size_t k = 1; k < 3; k++) {
      // What is not read may be anything.
      const auto i = static_cast<std::size_t>(order[k]);
      if (i < in.size()) operands[k] = anywhere(in[i]);
    }
    emit(InstructionKind::gate, operands[0], operands[1], operands[2], with_order(op.table, order));
    done_with(op);
    hold(reg, op.out);
    of(op.out).made = now_;
  }

  // Which input a vpternlog replaces, or a copy of it. A Zen 5 makes four a cycle where that one
  // comes straight from another instruction; where it comes from its register two, and a cycle
  // later. So it is what a gate made last, if that is fresh: a copy of it costs no time of its own.
  // Of the others one that ends here is best.
  int replaced_by(const std::vector<int>& in, int outside) {
    int first = kNone, best = -kNever;
    for (int i = 0; i < std::ssize(in); i++) {
      const int value = in[static_cast<std::size_t>(i)], made = of(value).made;
      const int rank = made + (ends_here(value) ? kCopySteps : 0);
      if (i != outside && made >= now_ - fresh_ && rank > best) first = i, best = rank;
    }
    if (first != kNone) return first;
    for (int i = 0; i < std::ssize(in); i++)
      if (i != outside && ends_here(in[static_cast<std::size_t>(i)])) first = i;
    if (first != kNone) return first;
    if (outside != kNone) return outside;
    for (int i = 0; i < std::ssize(in); i++)
      if (of(in[static_cast<std::size_t>(i)]).slot != kNone) first = i;
    return std::max(first, 0);
  }
  // A copy from memory takes no part of the processor that gates need.
  CodeOperand copy_of(int value) {
    const Value& from = of(value);
    return from.slot == kNone || from.made >= now_ - fresh_ ? anywhere(value)
                                                            : CodeOperand::slot(from.slot);
  }
  bool later(int a, int b) const {
    const auto after = [&](int value) {
      const auto& uses = values_[static_cast<std::size_t>(value)].uses;
      return uses.size() < 2 ? kNever : uses[uses.size() - 2];
    };
    return after(a) > after(b);
  }

  // Brings every value home. Where values wait for each other's homes, one steps aside.
  void leave() {
    pinned_.clear();
    std::vector<Leaving> left;
    for (std::size_t i = 0; i < block_.leaves.size(); i++) {
      left.push_back({block_.leaves[i], homes_[i]});
      of(block_.leaves[i]).leaving++;
    }
    while (!left.empty()) {
      const std::size_t before = left.size();
      std::erase_if(left, [&](const Leaving& each) { return moved_home(each); });
      if (left.size() == before) step_aside(left);
    }
  }

  bool moved_home(const Leaving& each) {
    Value& value = of(each.value);
    const int index = each.home.index;
    if (each.home.in_register) {
      if (value.reg != index) {
        if (held(index) != kNone) return false;
        emit(InstructionKind::move, CodeOperand::reg(index), anywhere(each.value));
        if (value.reg != kNone && !locked_[static_cast<std::size_t>(value.reg)])
          held(value.reg) = kNone;
        hold(index, each.value);
      }
      locked_[static_cast<std::size_t>(index)] = true;
    } else if (value.slot != index) {
      const bool taken = std::any_of(values_.begin(), values_.end(), [&](const Value& other) {
        return other.slot == index && other.reg == kNone && other.leaving > 0;
      });
      if (taken) return false;
      if (value.reg == kNone && !load_for_move(each.value)) return false;
      for (Value& other : values_)
        if (other.slot == index) other.slot = kNone;
      emit(InstructionKind::move, CodeOperand::slot(index), CodeOperand::reg(value.reg));
      if (value.slot >= fixed_slots_) free_slots_.push_back(value.slot);
      value.slot = index;
    }
    value.leaving--;
    if (value.leaving == 0 && value.reg != kNone && !locked_[static_cast<std::size_t>(value.reg)]) {
      held(value.reg) = kNone;
      value.reg = kNone;
    }
    return true;
  }

  bool load_for_move(int value) {
    for (int reg = 0; reg < std::ssize(held_); reg++) {
      if (held(reg) != kNone) continue;
      emit(InstructionKind::move, CodeOperand::reg(reg), CodeOperand::slot(of(value).slot));
      hold(reg, value);
      return true;
    }
    return false;
  }

  // Empties a register that somebody waits for, or that a value needs on its way from slot to slot.
  void step_aside(const std::vector<Leaving>& left) {
    for (const Leaving& each : left) {
      const int reg = of(each.value).reg;
      if (reg != kNone && !locked_[static_cast<std::size_t>(reg)]) {
        spill(reg);
        return;
      }
    }
    // All wait in slots for each other's: one goes to a register.
    for (const Leaving& each : left)
      if (of(each.value).reg == kNone && load_for_move(each.value)) return;
  }

  const CodeBlock& block_;
  const std::vector<CodeHome>& homes_;
  std::vector<int> held_;  // the value in each register
  std::vector<bool> locked_;
  std::vector<Value> values_;
  std::vector<int> free_slots_;
  std::vector<int> pinned_;  // inputs of the present step
  int fresh_, end_, now_ = 0, in_homes_ = 0, fixed_slots_ = 0, slots_ = 0;
};

}  // namespace

RegisterPlan::RegisterPlan(const CodeBlock& block, int registers,
                           const std::vector<CodeHome>& homes, int fresh) {
  Planner planner(block, registers, homes, fresh);
  planner.run();
  instructions_ = std::move(planner.out);
  slots_ = planner.slots();
}

std::vector<CodeHome> code_homes(int count, int in_registers) {
  std::vector<CodeHome> homes;
  for (int i = 0; i < count; i++) {
    homes.push_back(i < in_registers ? CodeHome{true, i} : CodeHome{false, i - in_registers});
  }
  return homes;
}

}  // namespace tessera
