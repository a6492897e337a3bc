#include "core/rules/gate_net.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

#include "core/rules/pattern_set.h"

namespace tessera {
namespace {

constexpr std::array<int, 3> kCellFunctions = {0xF0 / 2, 0xCC / 2, 0xAA / 2};

// Without a destructor: a search on another thread may go on while the process ends.
using RowTables = std::array<NeighbourhoodTable, kGateSignal>;

RowTables row_tables() {
  RowTables tables{};
  for (int signal = 0; signal < kGateSignal; signal++) {
    const int row = signal / kRowFunctions, function = signal % kRowFunctions * 2;
    for (int p = 0; p < kPatterns; p++) {
      if (function >> (p >> (6 - 3 * row) & 7) & 1) tables[static_cast<std::size_t>(signal)].set(p);
    }
  }
  return tables;
}

class Cleaner {
 public:
  explicit Cleaner(const GateNet& net) : net_(net), done_(net.gates.size()), open_(done_.size()) {}

  std::optional<GateNet> clean() {
    out_.out = signal(net_.out.signal);
    if (cycle_) return std::nullopt;
    out_.out.negated ^= net_.out.negated;
    drop_dead();
    return std::move(out_);
  }

 private:
  NetSignal signal(int id) {
    if (id < kGateSignal) return {id, false};
    const auto k = static_cast<std::size_t>(id - kGateSignal);
    if (done_[k]) return *done_[k];
    if (open_[k]) cycle_ = true;
    if (cycle_) return {};
    open_[k] = true;
    const NetSignal result = gate(net_.gates[k]);
    open_[k] = false;
    done_[k] = result;
    return result;
  }

  NetSignal gate(const NetGate& gate) {
    std::uint8_t table = gate.table;
    std::array<int, 3> in = {kConstant, kConstant, kConstant};
    for (int i = 0; i < 3; i++) {
      if (!reads(table, i)) continue;
      const NetSignal from = signal(gate.in[static_cast<std::size_t>(i)]);
      if (cycle_) return {};
      if (from.signal == kConstant) {
        table = fixed_input(table, i, from.negated);
        continue;
      }
      if (from.negated) table = with_negated(table, i);
      in[static_cast<std::size_t>(i)] = from.signal;
    }
    int count = 0, first = kConstant;
    for (std::size_t i = 0; i < 3; i++) {
      for (std::size_t j = 0; j < i; j++) {
        if (in[i] == kConstant || in[i] != in[j]) continue;
        table = with_equal(table, static_cast<int>(j), static_cast<int>(i));
        in[i] = kConstant;
      }
    }
    for (std::size_t i = 3; i-- > 0;) {
      if (in[i] != kConstant && !reads(table, static_cast<int>(i))) in[i] = kConstant;
      if (in[i] == kConstant) continue;
      count++;
      first = in[i];
    }
    if (count < 2) return {first, (table & 1) != 0};
    for (int& each : in) each = each == kConstant ? first : each;
    return one_row(in) ? row_function(table, in) : shared(table, in);
  }

  static bool one_row(const std::array<int, 3>& in) {
    return std::all_of(in.begin(), in.end(), [&](int id) {
      return id < kGateSignal && id / kRowFunctions == in[0] / kRowFunctions;
    });
  }

  static NetSignal row_function(std::uint8_t table, const std::array<int, 3>& in) {
    unsigned function = 0;
    for (int i = 0; i < 8; i++) {
      int at = 0;
      for (const int id : in) at = at * 2 + (id % kRowFunctions * 2 >> i & 1);
      function |= static_cast<unsigned>(table >> at & 1) << i;
    }
    const bool negated = function & 1;
    if (negated) function ^= 0xFF;
    if (function == 0) return {kConstant, negated};
    return {in[0] / kRowFunctions * kRowFunctions + static_cast<int>(function / 2), negated};
  }

  // The gate, or one before it that is the same or its complement.
  NetSignal shared(std::uint8_t table, const std::array<int, 3>& in) {
    const int id = out_.add(table, in);
    const NeighbourhoodTable& value = out_.gates.back().value;
    const bool negated = value.at(0);
    const NeighbourhoodTable positive = negated ? ~value : value;
    std::uint64_t hash = 0;
    for (const std::uint64_t word : positive.words) {
      hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    }
    if (empty(positive)) {
      out_.gates.pop_back();
      return {kConstant, negated};
    }
    std::vector<int>& same = seen_[hash];
    for (const int other : same) {
      const NeighbourhoodTable& its = out_.value(other);
      const bool opposite = its.at(0) != negated;
      if (its != (opposite ? ~value : value)) continue;
      out_.gates.pop_back();
      return {other, opposite};
    }
    same.push_back(id);
    return {id, false};
  }

  void drop_dead() {
    std::vector<bool> live(out_.gates.size());
    const auto mark = [&](int id) {
      if (id >= kGateSignal) live[static_cast<std::size_t>(id - kGateSignal)] = true;
    };
    mark(out_.out.signal);
    for (std::size_t i = live.size(); i-- > 0;) {
      if (live[i]) std::for_each(out_.gates[i].in.begin(), out_.gates[i].in.end(), mark);
    }
    std::vector<int> to(live.size());
    std::size_t kept = 0;
    const auto renamed = [&](int id) {
      return id < kGateSignal ? id : to[static_cast<std::size_t>(id - kGateSignal)];
    };
    for (std::size_t i = 0; i < live.size(); i++) {
      if (!live[i]) continue;
      to[i] = kGateSignal + static_cast<int>(kept);
      if (kept != i) out_.gates[kept] = out_.gates[i];
      for (int& id : out_.gates[kept].in) id = renamed(id);
      kept++;
    }
    out_.gates.resize(kept);
    out_.out.signal = renamed(out_.out.signal);
  }

  const GateNet& net_;
  GateNet out_;
  std::vector<std::optional<NetSignal>> done_;
  std::vector<bool> open_;
  std::unordered_map<std::uint64_t, std::vector<int>> seen_;
  bool cycle_ = false;
};

}  // namespace

const NeighbourhoodTable& GateNet::value(int signal) const {
  static const RowTables kRows = row_tables();
  const auto at = static_cast<std::size_t>(signal);
  return signal < kGateSignal ? kRows[at] : gates[at - kGateSignal].value;
}

int GateNet::add(std::uint8_t table, const std::array<int, 3>& in) {
  gates.push_back({table, in, gate_output(table, value(in[0]), value(in[1]), value(in[2]))});
  return kGateSignal + static_cast<int>(gates.size()) - 1;
}

std::vector<bool> GateNet::row_functions() const {
  std::vector<bool> used(kRowFunctions);
  const auto mark = [&](int id) {
    if (id >= 0 && id < kGateSignal && !is_cell(id))
      used[static_cast<std::size_t>(id % kRowFunctions)] = true;
  };
  for (const NetGate& gate : gates) std::for_each(gate.in.begin(), gate.in.end(), mark);
  mark(out.signal);
  return used;
}

int GateNet::cost() const {
  const std::vector<bool> used = row_functions();
  return static_cast<int>(gates.size()) +
         static_cast<int>(std::count(used.begin(), used.end(), true));
}

int cell_signal(int cell) {
  return cell / 3 * kRowFunctions + kCellFunctions[static_cast<std::size_t>(cell % 3)];
}

bool is_cell(int signal) {
  return signal < kGateSignal && std::find(kCellFunctions.begin(), kCellFunctions.end(),
                                           signal % kRowFunctions) != kCellFunctions.end();
}

std::optional<GateNet> cleaned(const GateNet& net) { return Cleaner(net).clean(); }

GateProgram to_program(const GateNet& net) {
  GateProgram program;
  const std::vector<bool> used = net.row_functions();
  std::vector<int> number(kRowFunctions);
  for (int f = 0; f < kRowFunctions; f++) {
    if (!used[static_cast<std::size_t>(f)]) continue;
    number[static_cast<std::size_t>(f)] = static_cast<int>(program.rows.size());
    program.rows.push_back(static_cast<std::uint8_t>(2 * f));
  }
  const auto renamed = [&](int id) {
    if (id >= kGateSignal)
      return static_cast<std::uint16_t>(program.first_gate() + id - kGateSignal);
    const int row = id / kRowFunctions, f = id % kRowFunctions;
    if (!is_cell(id))
      return static_cast<std::uint16_t>(9 + 3 * number[static_cast<std::size_t>(f)] + row);
    const auto cell = std::find(kCellFunctions.begin(), kCellFunctions.end(), f);
    return static_cast<std::uint16_t>(3 * row + (cell - kCellFunctions.begin()));
  };
  for (const NetGate& gate : net.gates) {
    program.gates.push_back(
        {gate.table, {renamed(gate.in[0]), renamed(gate.in[1]), renamed(gate.in[2])}});
  }
  const bool negated = net.out.negated;
  if (net.out.signal < kGateSignal) {
    // No gate at all: a constant, or a function of one row.
    const std::uint16_t from = net.out.signal == kConstant ? 0 : renamed(net.out.signal);
    const std::uint8_t table = net.out.signal == kConstant ? 0x00 : 0xF0;
    program.gates.push_back(
        {static_cast<std::uint8_t>(negated ? ~table : table), {from, from, from}});
  } else if (negated) {
    // All gates lead to the output, so none reads it.
    program.gates.back().table = static_cast<std::uint8_t>(~program.gates.back().table);
  }
  return program;
}

}  // namespace tessera
