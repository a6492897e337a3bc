#include "backends/cpu/column_code.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "backends/cpu/ended_inputs.h"
#include "backends/cpu/gate_writer.h"
#include "backends/cpu/strip_code.h"

namespace tessera {
namespace {

constexpr std::size_t kColumnCells = 3;  // left, middle and right
constexpr std::size_t kMiddle = 1, kRight = 2;
// Programs of so few gates find registers in any order, and their own is up to a tenth faster than
// one in which each gate reads what was made last.
constexpr std::size_t kFewGates = 20;
constexpr std::size_t kAbove = 0, kOwn = 1, kBelow = 2;

// The program with all its gates in one list. Signals: 3 f + r is function f of row r, the cells
// being functions 0 to 2; then come planes 1 and on, and then gates.
class Gates {
 public:
  explicit Gates(const StateProgram& program)
      : functions(kColumnCells + program.lives.rows.size()),
        first_plane(3 * functions),
        first_gate(first_plane + static_cast<std::size_t>(program.planes) - 1),
        program_(program) {
    for (const ProgramGate& gate : program.lives.gates) add(gate, &Gates::seen);
    for (const ProgramGate& gate : program.gates) add(gate, &Gates::own);
    next.push_back(own(program.next[0]));
    for (int p = 1; p < program.planes; p++) {
      if (!plane_moves(program, p))
        made.emplace_back(p, own(program.next[static_cast<std::size_t>(p)]));
    }
    for (const auto& each : made) next.push_back(each.second);
    if (gates.size() > kFewGates) order();
  }

  struct Gate {
    std::uint8_t table;
    std::array<std::size_t, 3> in;
    std::size_t out;
  };
  std::size_t functions, first_plane, first_gate;
  std::vector<Gate> gates;
  std::vector<std::size_t> next;                    // what becomes plane 0, and then what is `made`
  std::vector<std::pair<int, std::size_t>> made{};  // other planes that are written

  // Whether a function is read in one row of the three.
  bool reads_row(std::size_t function, std::size_t row) const {
    const std::size_t signal = 3 * function + row;
    const auto is_it = [&](std::size_t each) { return each == signal; };
    return std::any_of(next.begin(), next.end(), is_it) ||
           std::any_of(gates.begin(), gates.end(), [&](const Gate& gate) {
             return std::any_of(gate.in.begin(), gate.in.end(), is_it);
           });
  }

 private:
  std::size_t seen(int signal) const {
    const auto s = static_cast<std::size_t>(signal);
    if (signal < 9) return 3 * (s % 3) + s / 3;
    if (signal < program_.lives.first_gate()) return 3 * kColumnCells + s - 9;
    return first_gate + s - static_cast<std::size_t>(program_.lives.first_gate());
  }
  std::size_t own(int signal) const {
    const auto s = static_cast<std::size_t>(signal);
    if (signal == 0) return 3 * kMiddle + kOwn;
    if (signal < program_.planes) return first_plane + s - 1;
    return first_gate + program_.lives.gates.size() - 1 + s -
           static_cast<std::size_t>(program_.planes);
  }
  void add(const ProgramGate& gate, std::size_t (Gates::*of)(int) const) {
    gates.push_back({gate.table,
                     {(this->*of)(gate.in[0]), (this->*of)(gate.in[1]), (this->*of)(gate.in[2])},
                     first_gate + gates.size()});
  }

  // Puts those first whose inputs nobody else reads, so that few values wait at a time.
  void order() {
    std::vector<int> readers(first_gate + gates.size());
    for (const Gate& gate : gates)
      for (const std::size_t in : gate.in) readers[in]++;
    for (const std::size_t each : next) readers[each]++;
    std::vector<Gate> left = std::move(gates);
    gates.clear();
    std::vector<bool> done(readers.size());
    std::fill_n(done.begin(), first_gate, true);
    while (!left.empty()) {
      std::size_t best = 0;
      int most = -1;
      for (std::size_t i = 0; i < left.size(); i++) {
        const Gate& gate = left[i];
        int ends = 0;
        bool ready = true;
        for (const std::size_t in : gate.in) {
          ready = ready && done[in];
          const auto times = static_cast<int>(std::count(gate.in.begin(), gate.in.end(), in));
          if (in >= first_gate && readers[in] == times) ends += 6 / times;
        }
        // Reading what was made last comes before what was there all the time.
        for (const std::size_t in : gate.in) ends += in >= first_gate ? 1 : 0;
        if (ready && ends > most) most = ends, best = i;
      }
      const Gate gate = left[best];
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
      for (const std::size_t in : gate.in) readers[in]--;
      done[gate.out] = true;
      gates.push_back(gate);
    }
  }

  const StateProgram& program_;
};

// Values that wait for a later use, at most.
int most_live(const CodeBlock& block) {
  const std::size_t count = block.ops.size();
  std::vector<std::size_t> last(static_cast<std::size_t>(block.values));
  for (std::size_t i = 0; i < count; i++) {
    for (const int value : block.ops[i].in)
      if (value >= 0) last[static_cast<std::size_t>(value)] = i;
  }
  for (const int value : block.leaves) last[static_cast<std::size_t>(value)] = count;
  std::vector<int> ends(count + 1);
  for (const std::size_t i : last) ends[i]++;
  int live = static_cast<int>(block.enters.size()), most = live;
  for (std::size_t i = 0; i < count; i++) {
    if (block.ops[i].out >= 0) live++;
    most = std::max(most, live);
    live -= ends[i];
  }
  return most;
}

class Writer {
 public:
  Writer(const StateProgram& program, const Gates& gates, int columns, bool three_inputs,
         std::optional<RowClosing> closing)
      : program_(program),
        gates_(gates),
        columns_(static_cast<std::size_t>(columns)),
        three_inputs_(three_inputs),
        closing_(closing),
        rows_(columns_, std::vector<Rows>(gates.functions)) {
    for (std::size_t f = 0; f < gates.functions; f++) {
      const bool above = gates.reads_row(f, kAbove), own = gates.reads_row(f, kOwn);
      if (above) kept_.push_back({f, kAbove});
      if (above || own) kept_.push_back({f, kOwn});
    }
  }

  CodeBlock enter() {
    CodeBlock block;
    GateWriter out(block, three_inputs_);
    for (const std::size_t row : {kAbove, kOwn}) {
      const bool a = row == kAbove;
      const CodePlace left{a ? CodeBase::left_a : CodeBase::left_b};
      std::vector<CodeSignal> words{out.load(left)};
      for (std::size_t i = 0; i <= columns_; i++)
        words.push_back(out.load(place(a ? CodeBase::above_a : CodeBase::above_b, i)));
      out.store(words[columns_], left);
      for (std::size_t c = 0; c < columns_; c++)
        write_functions(out, {words[c], words[c + 1], words[c + 2]}, c, row);
    }
    for (std::size_t c = 0; c < columns_; c++) {
      out.store(out.load(place(CodeBase::keep_a, c)), place(CodeBase::state_a, c));
      out.store(out.load(place(CodeBase::keep_b, c)), place(CodeBase::state_b, c));
    }
    leave(block);
    return block;
  }

  CodeBlock body(int rows) {
    CodeBlock block;
    GateWriter out(block, three_inputs_);
    for (std::size_t c = 0; c < columns_; c++) {
      for (const Kept& each : kept_) {
        const bool negated = each.function >= kColumnCells &&
                             out.negates(program_.lives.rows[each.function - kColumnCells]);
        block.enters.push_back(block.values);
        rows_[c][each.function][each.row] = {block.values++, negated};
      }
    }
    for (int r = 0; r < rows; r++) {
      write_row(out);
      out.next_row();
      for (auto& column : rows_)
        for (Rows& function : column) function = {function[kOwn], function[kBelow], {}};
    }
    leave(block);
    end_inputs(block);
    return block;
  }

 private:
  using Rows = std::array<CodeSignal, 3>;  // a function's values
  struct Kept {
    std::size_t function, row;
  };

  static CodePlace place(CodeBase base, std::size_t vector, int plane = 0) {
    return {base, plane, static_cast<int>(vector)};
  }

  void write_functions(GateWriter& out, const std::array<CodeSignal, 3>& cells, std::size_t column,
                       std::size_t row) {
    for (std::size_t f = 0; f < gates_.functions; f++) {
      rows_[column][f][row] =
          f < kColumnCells ? cells[f] : out.gate(program_.lives.rows[f - kColumnCells], cells);
    }
  }

  // What a column stores, no later one loads.
  void write_row(GateWriter& out) {
    const auto load = [&](int vector) { return out.load({CodeBase::in, 0, vector}); };
    std::array<CodeSignal, 3> cells{load(-1), load(0)};
    for (std::size_t c = 0; c < columns_; c++) {
      cells[kRight] = load(static_cast<int>(c) + 1);
      write_functions(out, cells, c, kBelow);
      write_gates(out, c);
      cells = {cells[kMiddle], cells[kRight]};
    }
  }

  void write_gates(GateWriter& out, std::size_t column) {
    std::vector<CodeSignal> own(gates_.first_gate + gates_.gates.size());
    std::vector<bool> loaded(own.size());
    const auto at = [&](std::size_t signal) {
      if (signal < gates_.first_plane) return rows_[column][signal / 3][signal % 3];
      if (signal < gates_.first_gate && !loaded[signal]) {
        const auto plane = static_cast<int>(signal - gates_.first_plane) + 1;
        own[signal] = out.load(place(CodeBase::plane_in, column, plane));
        loaded[signal] = true;
      }
      return own[signal];
    };
    for (const Gates::Gate& gate : gates_.gates)
      own[gate.out] = out.gate(gate.table, {at(gate.in[0]), at(gate.in[1]), at(gate.in[2])});
    std::vector<CodeSignal> next;
    for (const std::size_t signal : gates_.next) next.push_back(at(signal));
    if (closing_ && column + 1 == columns_) {
      close(out, next[0]);
    } else {
      out.store(next[0], place(CodeBase::out, column));
    }
    for (std::size_t i = 0; i < gates_.made.size(); i++)
      out.store(next[i + 1], place(CodeBase::plane_out, column, gates_.made[i].first));
  }

  static CodeSignal seam(GateWriter& out, StripSeam which) {
    return out.load(place(CodeBase::seam, static_cast<std::size_t>(which)));
  }
  static CodeSignal chosen(GateWriter& out, const CodeSignal& mask, const CodeSignal& a,
                           const CodeSignal& b) {
    return out.gate(0xCA, {mask, a, b});
  }

  // A word moved by one bit, and the bit that came from elsewhere, if that is in the row.
  CodeSignal joined(GateWriter& out, const CodeSignal& moved, const CodeSignal& bit,
                    StripSeam inner) const {
    if (closing_->joined) return out.gate(0xFC, {moved, bit, {}});
    return out.gate(0xF8, {moved, bit, seam(out, inner)});
  }

  // The ghosts are the words at the ends, moved by one bit, as Closer has it.
  CodeSignal right_of(GateWriter& out, const CodeSignal& first) const {
    switch (closing_->ends) {
      case RowEnds::torus:
        return out.turned(first, 1);
      case RowEnds::plane:
        return out.moved_right(first, 1);
      case RowEnds::lanes: {
        const CodeSignal after = out.moved_left(out.following(first, closing_->segments), 63);
        return joined(out, out.moved_right(first, 1), after, StripSeam::inner_right);
      }
      case RowEnds::own_torus:
        return first;
      case RowEnds::own_plane:
        break;
    }
    return {};
  }
  CodeSignal left_of(GateWriter& out, const CodeSignal& last) const {
    switch (closing_->ends) {
      case RowEnds::torus:
        return out.turned(last, 63);
      case RowEnds::plane:
        return out.moved_left(last, 1);
      case RowEnds::lanes: {
        const CodeSignal before = out.moved_right(out.previous(last, closing_->segments), 63);
        return joined(out, out.moved_left(last, 1), before, StripSeam::inner_left);
      }
      case RowEnds::own_torus:
        return last;
      case RowEnds::own_plane:
        break;
    }
    return {};
  }

  // Stores the last word of a row and the ghosts at both ends.
  void close(GateWriter& out, CodeSignal last) const {
    const CodeSignal right = right_of(out, out.load(place(CodeBase::row_out, 0)));
    CodeSignal last_columns = last;
    if (closing_->unequal) {
      const CodeSignal before = out.load({CodeBase::out, 0, static_cast<int>(columns_) - 2});
      const CodeSignal longer = seam(out, StripSeam::long_strips);
      last_columns = chosen(out, longer, last, before);
      last = chosen(out, longer, last, right);
    }
    out.store(last, place(CodeBase::out, columns_ - 1));
    out.store(left_of(out, last_columns), {CodeBase::row_out, 0, -1});
    out.store(right, place(CodeBase::out, columns_));
  }

  void leave(CodeBlock& block) const {
    for (const auto& column : rows_)
      for (const Kept& each : kept_) block.leaves.push_back(column[each.function][each.row].value);
  }

  const StateProgram& program_;
  const Gates& gates_;
  std::size_t columns_;
  bool three_inputs_;
  std::optional<RowClosing> closing_;
  std::vector<std::vector<Rows>> rows_;  // by column and function
  std::vector<Kept> kept_;               // what is in the homes of a column
};

}  // namespace

bool plane_moves(const StateProgram& program, int plane) {
  const int from = program.next[static_cast<std::size_t>(plane)];
  return plane > 0 && from > 0 && from < program.planes;
}

ColumnCode::ColumnCode(const StateProgram& program, int columns, int row_count, bool three_inputs,
                       std::optional<RowClosing> closing)
    : rows(row_count) {
  const Gates gates(program);
  Writer writer(program, gates, columns, three_inputs, closing);
  enter = writer.enter();
  body = writer.body(rows);
  live = most_live(body);
}

}  // namespace tessera
