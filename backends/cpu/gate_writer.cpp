#include "backends/cpu/gate_writer.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/rules/gate_table.h"

namespace tessera {
namespace {

using OpKind = CodeOp::Kind;

// The table of an operation on two inputs that have these tables.
std::uint8_t operation_table(OpKind kind, unsigned a, unsigned b) {
  const unsigned out = kind == OpKind::both     ? a & b
                       : kind == OpKind::either ? a | b
                       : kind == OpKind::differ ? a ^ b
                                                : ~a & b;
  return static_cast<std::uint8_t>(out);
}

// Every table that four operations reach, by the first shortest formula.
class Formulas {
 public:
  Formulas() {
    for (int depth = 1; depth <= 4; depth++) {
      GateFormula formula;
      extend(formula, {0xF0, 0xCC, 0xAA}, depth);
    }
  }
  const GateFormula& at(std::uint8_t table) const { return found_[table]; }

 private:
  void extend(GateFormula& formula, const std::array<std::uint8_t, 7>& nodes, int left) {
    const int count = 3 + formula.count;
    for (const OpKind kind : {OpKind::differ, OpKind::both, OpKind::either, OpKind::second}) {
      for (int b = 1; b < count; b++) {
        for (int a = 0; a < b; a++) {
          add({kind, a, b}, formula, nodes, left);
          if (kind == OpKind::second) add({kind, b, a}, formula, nodes, left);
        }
      }
    }
  }

  void add(const GateFormula::Step& step, GateFormula& formula, std::array<std::uint8_t, 7> nodes,
           int left) {
    const std::uint8_t out = operation_table(step.kind, nodes[static_cast<std::size_t>(step.a)],
                                             nodes[static_cast<std::size_t>(step.b)]);
    formula.steps[static_cast<std::size_t>(formula.count)] = step;
    nodes[static_cast<std::size_t>(3 + formula.count)] = out;
    formula.count++;
    if (left > 1) {
      extend(formula, nodes, left - 1);
    } else if (found_[out].count == 0) {
      found_[out] = formula;
    }
    formula.count--;
  }

  std::array<GateFormula, 256> found_{};
};

}  // namespace

const GateFormula& gate_formula(std::uint8_t table) {
  static const Formulas kFormulas;
  return kFormulas.at(table);
}

int GateWriter::write(CodeOp op) {
  const bool symmetric =
      op.kind == OpKind::both || op.kind == OpKind::either || op.kind == OpKind::differ;
  if (symmetric && op.in[0] > op.in[1]) std::swap(op.in[0], op.in[1]);
  const std::array<int, 5> key{static_cast<int>(op.kind), op.table, op.in[0], op.in[1], op.in[2]};
  const auto [known, is_new] = written_.try_emplace(key, block_.values);
  if (!is_new) return known->second;
  op.out = block_.values++;
  block_.ops.push_back(op);
  return op.out;
}

CodeSignal GateWriter::load(const CodePlace& place) {
  CodeOp op{OpKind::load};
  op.out = block_.values++;
  op.place = place;
  block_.ops.push_back(op);
  return {op.out, false};
}

bool GateWriter::negates(std::uint8_t table) const {
  return (table & 1) && !(three_inputs_ && reads(table, 0) && reads(table, 1) && reads(table, 2));
}

// The value of a signal itself, neither a constant nor a complement.
int GateWriter::plain(const CodeSignal& signal) {
  if (signal.value < 0) {
    CodeOp constant{OpKind::constant};
    constant.table = signal.negated ? 0xFF : 0;
    return write(constant);
  }
  if (!signal.negated) return signal.value;
  CodeOp complement{OpKind::gate};
  complement.in[0] = signal.value;
  complement.table = 0x0F;
  if (three_inputs_) {
    // That of a gate of two inputs is one of them, too.
    for (const CodeOp& op : block_.ops) {
      if (!is_gate(op) || op.kind == OpKind::gate || op.out != signal.value) continue;
      complement.in = op.in;
      complement.table = static_cast<std::uint8_t>(~operation_table(op.kind, kGateA, kGateB));
    }
  } else {
    CodeOp ones{OpKind::constant};
    ones.table = 0xFF;
    complement = {OpKind::second};
    complement.in = {signal.value, write(ones), -1};
  }
  return write(complement);
}

void GateWriter::store(const CodeSignal& signal, const CodePlace& place) {
  CodeOp op{OpKind::store};
  op.in[0] = plain(signal);
  op.place = place;
  block_.ops.push_back(op);
}

CodeSignal GateWriter::moved(OpKind kind, const CodeSignal& signal, int by) {
  CodeOp op{kind};
  op.in[0] = plain(signal);
  op.table = static_cast<std::uint8_t>(by);
  return {write(op), false};
}

// Processors with three-input gates turn bits in one step.
CodeSignal GateWriter::turned(const CodeSignal& signal, int bits) {
  if (three_inputs_) return moved(OpKind::turn, signal, bits);
  CodeOp op{OpKind::either};
  op.in = {moved_right(signal, bits).value, moved_left(signal, 64 - bits).value, -1};
  return {write(op), false};
}

CodeSignal GateWriter::moved_right(const CodeSignal& signal, int bits) {
  return moved(OpKind::right, signal, bits);
}

CodeSignal GateWriter::moved_left(const CodeSignal& signal, int bits) {
  return moved(OpKind::left, signal, bits);
}

CodeSignal GateWriter::following(const CodeSignal& signal, int lanes) {
  return moved(OpKind::following, signal, lanes);
}

CodeSignal GateWriter::previous(const CodeSignal& signal, int lanes) {
  return moved(OpKind::previous, signal, lanes);
}

CodeSignal GateWriter::gate(std::uint8_t table, const std::array<CodeSignal, 3>& in) {
  std::array<int, 3> from{};
  for (int i = 0; i < 3; i++) {
    const CodeSignal& signal = in[static_cast<std::size_t>(i)];
    int& value = from[static_cast<std::size_t>(i)];
    value = signal.value;
    if (value < 0) {
      table = fixed_input(table, i, signal.negated);
      continue;
    }
    if (signal.negated) table = with_negated(table, i);
    for (int j = 0; j < i; j++) {
      if (from[static_cast<std::size_t>(j)] == value) table = with_equal(table, j, i);
    }
  }
  // Those that are read, in the order of their numbers.
  std::array<int, 3> order{0, 1, 2};
  for (int i = 0; i < 3; i++) {
    if (!reads(table, i)) from[static_cast<std::size_t>(i)] = -1;
  }
  const auto rank = [&](int i) { return static_cast<unsigned>(from[static_cast<std::size_t>(i)]); };
  std::sort(order.begin(), order.end(), [&](int a, int b) { return rank(a) < rank(b); });
  table = with_order(table, order);
  CodeOp op{OpKind::gate};
  for (std::size_t i = 0; i < 3; i++) op.in[i] = from[static_cast<std::size_t>(order[i])];
  op.table = table;
  if (op.in[1] < 0) return {op.in[0], (table & 1) != 0};
  if (three_inputs_ && op.in[2] >= 0) return {write(op), false};
  const bool negated = table & 1;
  const GateFormula& formula = gate_formula(negated ? static_cast<std::uint8_t>(~table) : table);
  std::array<int, 7> nodes{op.in[0], op.in[1], op.in[2]};
  for (int i = 0; i < formula.count; i++) {
    const GateFormula::Step& step = formula.steps[static_cast<std::size_t>(i)];
    CodeOp each{step.kind};
    each.in = {nodes[static_cast<std::size_t>(step.a)], nodes[static_cast<std::size_t>(step.b)],
               -1};
    nodes[static_cast<std::size_t>(3 + i)] = write(each);
  }
  return {nodes[static_cast<std::size_t>(2 + formula.count)], negated};
}

void GateWriter::next_row() { block_.ops.push_back({OpKind::next_row}); }

}  // namespace tessera
