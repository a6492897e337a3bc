#include "backends/cpu/row_code.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "backends/cpu/gate_writer.h"

namespace tessera {
namespace {

constexpr std::uint8_t kSum = 0x96, kCarry = 0xE8, kBorrow = 0x8E;
// Where plus - minus goes on: behind its first bit, and behind any other, as long as it does.
constexpr std::uint8_t kFirstOn = 0x42, kOn = 0x90;

// Registers for what lives within a row, and gates of the rows that go at a time, at most.
constexpr int kBetweenGates = 6, kMostGates = 400;

// A number: its bits, the lowest first.
using Number = std::vector<CodeSignal>;

int bits_of(std::size_t most) { return static_cast<int>(std::bit_width(most)); }

// Of what a count gains, sign included.
int gain_bits(const CountEdges& edges) {
  return 1 + bits_of(std::max(edges.cells.plus.size(), edges.cells.minus.size()));
}

class RowWriter {
 public:
  RowWriter(const EndProgram& end, CodeBlock& block, bool three_inputs)
      : end_(end), block_(block), out_(block, three_inputs) {}

  // A number that is at home.
  Number enter(int bits) {
    Number number;
    for (int i = 0; i < bits; i++) {
      block_.enters.push_back(block_.values);
      number.push_back({block_.values++, false});
    }
    return number;
  }
  // No gate here gives a complement: all are 0 where their inputs are.
  void leave(const Number& number) {
    for (const CodeSignal& bit : number) block_.leaves.push_back(bit.value);
  }

  Number load(CodeBase base, int bits) {
    Number number;
    for (int i = 0; i < bits; i++) number.push_back(out_.load({base, i}));
    return number;
  }
  // Counts that are loaded bit by bit when they are read first, which takes registers late.
  Number later(int bits) const {
    return Number(static_cast<std::size_t>(bits), CodeSignal{kLater, false});
  }
  void store(const Number& number) {
    for (std::size_t i = 0; i < number.size(); i++)
      out_.store(number[i], {CodeBase::sums, static_cast<int>(i)});
  }

  // number += plus - minus, which have as many bits as each other; modulo its size.
  void add(Number& number, const Number& plus, const Number& minus) {
    CodeSignal carry, borrow;
    for (std::size_t i = 0; i < plus.size(); i++) {
      const CodeSignal difference = out_.gate(kSum, {plus[i], minus[i], borrow});
      borrow = out_.gate(kBorrow, {plus[i], minus[i], borrow});
      carry = add_bit(number, i, difference, carry);
    }
    add_bits(number, plus.size(), carry, borrow);
  }

  // number += gain, whose last bit is its sign.
  void add_gain(Number& number, const Number& gain) {
    const std::size_t bits = std::min(number.size(), gain.size() - 1);
    CodeSignal carry;
    for (std::size_t i = 0; i < bits; i++) carry = add_bit(number, i, gain[i], carry);
    add_bits(number, bits, carry, gain.back());
  }

  // How many of some cells live, in `bits` bits: full adders as soon as three bits wait.
  Number count(const std::vector<CellOffset>& cells, int bits) {
    std::vector<Number> waiting(static_cast<std::size_t>(bits) + 1);
    const auto join = [&](std::size_t bit, const CodeSignal& third) {
      const CodeSignal a = waiting[bit][0], b = waiting[bit][1];
      waiting[bit] = {out_.gate(kSum, {a, b, third})};
      return out_.gate(kCarry, {a, b, third});
    };
    const auto put = [&](std::size_t bit, CodeSignal each) {
      while (waiting[bit].size() == 2) each = join(bit++, each);
      waiting[bit].push_back(each);
    };
    for (const CellOffset& at : cells) put(0, cell(at));
    Number sum;
    for (std::size_t bit = 0; bit < static_cast<std::size_t>(bits); bit++) {
      if (waiting[bit].size() == 2) put(bit + 1, join(bit, {}));
      sum.push_back(waiting[bit].empty() ? CodeSignal{} : waiting[bit][0]);
    }
    return sum;
  }

  // number += the cells of a balance.
  void add_balance(Number& number, const CellBalance& cells) {
    const int bits = bits_of(std::max(cells.plus.size(), cells.minus.size()));
    const Number plus = count(cells.plus, bits);
    add(number, plus, count(cells.minus, bits));
  }

  // The next state of the cells of a row whose counts are known.
  void finish(const Number& counts, int row) {
    const auto bits = static_cast<std::size_t>(end_.bits);
    const auto inputs = static_cast<std::size_t>(end_.inputs());
    std::vector<CodeSignal> signals(inputs + end_.gates.size());
    std::copy(counts.begin(), counts.end(), signals.begin());
    std::vector<bool> loaded(inputs);
    const auto at = [&](std::size_t signal) {
      if (signal >= bits && signal < inputs && !loaded[signal]) {
        const int plane = static_cast<int>(signal - bits);
        signals[signal] =
            plane == 0 ? cell({0, row}) : out_.load({CodeBase::plane_in, plane, 0, row});
        loaded[signal] = true;
      }
      return signals[signal];
    };
    for (std::size_t i = 0; i < end_.gates.size(); i++) {
      const ProgramGate& gate = end_.gates[i];
      signals[inputs + i] = out_.gate(gate.table, {at(gate.in[0]), at(gate.in[1]), at(gate.in[2])});
    }
    for (std::size_t i = 0; i < end_.next.size(); i++)
      out_.store(signals[end_.next[i]], {CodeBase::plane_out, static_cast<int>(i), 0, row});
  }

 private:
  static constexpr int kLater = -2;

  CodeSignal cell(const CellOffset& at) { return out_.load({CodeBase::cells, 0, at.dx, at.dy}); }

  CodeSignal& bit(Number& number, std::size_t i) {
    if (number[i].value == kLater) number[i] = out_.load({CodeBase::sums, static_cast<int>(i)});
    return number[i];
  }

  // The carry.
  CodeSignal add_bit(Number& number, std::size_t i, CodeSignal bit_of_other, CodeSignal carry) {
    CodeSignal& here = bit(number, i);
    const CodeSignal old = here;
    here = out_.gate(kSum, {old, bit_of_other, carry});
    return out_.gate(kCarry, {old, bit_of_other, carry});
  }

  // number += (plus - minus) 2^first.
  void add_bits(Number& number, std::size_t first, CodeSignal plus, CodeSignal minus) {
    CodeSignal on;
    for (std::size_t i = first; i < number.size(); i++) {
      CodeSignal& here = bit(number, i);
      const CodeSignal old = here;
      if (i == first) {
        here = out_.gate(kSum, {old, plus, minus});
        on = out_.gate(kFirstOn, {old, plus, minus});
      } else {
        here = out_.gate(kSum, {old, on, {}});
        on = out_.gate(kOn, {on, old, plus});
      }
    }
  }

  const EndProgram& end_;
  CodeBlock& block_;
  GateWriter out_;
};

// Full adders of three cells each, and of the bits of two numbers.
int balance_cost(const CellBalance& cells) {
  const std::size_t most = std::max(cells.plus.size(), cells.minus.size());
  return 2 * static_cast<int>(cells.plus.size() + cells.minus.size()) - 2 * bits_of(most);
}

// Gates whose outputs are read.
int gates_of(const CodeBlock& block) {
  std::vector<bool> read(static_cast<std::size_t>(block.values));
  for (const int value : block.leaves) read[static_cast<std::size_t>(value)] = true;
  int gates = 0;
  for (auto op = block.ops.rbegin(); op != block.ops.rend(); ++op) {
    if (op->out >= 0 && !read[static_cast<std::size_t>(op->out)]) continue;
    gates += is_gate(*op);
    for (const int value : op->in)
      if (value >= 0) read[static_cast<std::size_t>(value)] = true;
  }
  return gates;
}

}  // namespace

bool corners_are_fewer(const CountEdges& edges) {
  return balance_cost(edges.corners) + 4 * gain_bits(edges) < balance_cost(edges.cells);
}

int next_rows_cost(const EndProgram& end, const CountEdges& down) {
  return gates_of(next_rows_code(end, down, 1, true).body);
}

int rows_at_once(const EndProgram& end, const CountEdges& down, int registers) {
  const int most = std::clamp(kMostGates / next_rows_cost(end, down), 1, kMostRowsAtOnce);
  if (!corners_are_fewer(down)) return most;
  return std::clamp((registers - end.bits - kBetweenGates) / gain_bits(down), 1, most);
}

RowCode next_rows_code(const EndProgram& end, const CountEdges& down, int rows, bool three_inputs) {
  RowCode code;
  code.rows = rows;
  RowWriter begin(end, code.enter, three_inputs), out(end, code.body, three_inputs);
  const bool corners = corners_are_fewer(down);
  const int bits = gain_bits(down);
  std::vector<Number> gains;
  for (int row = 0; corners && row < rows; row++) {
    Number first(static_cast<std::size_t>(bits));
    begin.add_balance(first, down.cells.moved(0, row));
    begin.leave(first);
    gains.push_back(out.enter(bits));
  }
  Number counts = out.later(end.bits);
  for (int row = 0; row < rows; row++) {
    if (corners) {
      Number& gain = gains[static_cast<std::size_t>(row)];
      out.add_gain(counts, gain);
      out.finish(counts, row);
      out.add_balance(gain, down.corners.moved(1, row));
    } else {
      out.add_balance(counts, down.cells.moved(0, row));
      out.finish(counts, row);
    }
  }
  out.store(counts);
  for (const Number& gain : gains) out.leave(gain);
  return code;
}

RowCode first_row_code(const EndProgram& end, const CountEdges& right, bool three_inputs) {
  RowCode code;
  RowWriter begin(end, code.enter, three_inputs), out(end, code.body, three_inputs);
  begin.leave(begin.load(CodeBase::start, end.bits));
  Number counts = out.enter(end.bits);
  out.store(counts);
  out.finish(counts, 0);
  out.add_balance(counts, right.cells.moved(1, 0));
  out.leave(counts);
  return code;
}

}  // namespace tessera
