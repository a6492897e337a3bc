#include "core/rules/range_gates.h"
#include "core/rules/gate_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace tessera {
namespace {

// Tables over three inputs.
// A gate of up to three different inputs, ascending: bit i of the table is its value where input k
// is bit k of i.
struct Node {
  std::uint8_t table = 0;
  std::vector<int> in;
  auto operator<=>(const Node&) const = default;
};

// Gates that are made one after the other, each function of the same inputs once. Signals are
// numbers; two more are the constants.
class Net {
 public:
  static constexpr int kFalse = -1, kTrue = -2;

  explicit Net(int inputs) : inputs_(inputs) {}

  // The signal of a function of three: bit 4a + 2b + c of the table.
  int gate(unsigned table, int a, int b, int c) {
    const std::array<int, 3> from{a, b, c};
    std::vector<int> in;
    for (const int signal : from)
      if (signal >= 0) in.push_back(signal);
    return add(in, [&](const auto& value) {
      unsigned at = 0;
      for (const int signal : from)
        at = 2 * at + (signal == kTrue || (signal >= 0 && value(signal)));
      return (table >> at & 1) != 0;
    });
  }

  // Puts gates that a single other one reads into that one, where their inputs together are three.
  void join(int output) {
    while (join_one(output)) {
    }
  }

  // What the output needs, in order.
  std::vector<ProgramGate> program(int output) const {
    std::vector<ProgramGate> gates;
    if (output < 0 || output < inputs_) {
      const auto table = static_cast<std::uint8_t>(output == kFalse  ? 0
                                                   : output == kTrue ? 255
                                                                     : kGateA);
      const auto from = static_cast<std::uint16_t>(std::max(0, output));
      return {{table, {from, from, from}}};
    }
    std::map<int, int> names;
    emit(output, names, gates);
    return gates;
  }

 private:
  template <class Value>
  int add(std::vector<int> in, const Value& value) {
    std::ranges::sort(in);
    in.erase(std::unique(in.begin(), in.end()), in.end());
    Node node{table_of(in, value), in};
    // An input that does not matter is none.
    for (std::size_t k = node.in.size(); k-- > 0;) {
      const std::size_t bit = std::size_t{1} << k, count = std::size_t{1} << node.in.size();
      bool matters = false;
      for (std::size_t i = 0; i < count; i++)
        matters |= (node.table >> i & 1) != (node.table >> (i ^ bit) & 1);
      if (matters) continue;
      std::uint8_t table = 0;
      for (std::size_t i = 0, to = 0; i < count; i++)
        if (!(i & bit)) table = static_cast<std::uint8_t>(table | (node.table >> i & 1) << to++);
      node.table = table;
      node.in.erase(node.in.begin() + static_cast<std::ptrdiff_t>(k));
    }
    if (node.in.empty()) return node.table & 1 ? kTrue : kFalse;
    if (node.in.size() == 1 && node.table == 2) return node.in.front();
    const auto [found, fresh] = known_.try_emplace(node, inputs_ + static_cast<int>(nodes_.size()));
    if (fresh) nodes_.push_back(node);
    return found->second;
  }

  template <class Value>
  static std::uint8_t table_of(const std::vector<int>& in, const Value& value) {
    std::uint8_t table = 0;
    for (unsigned i = 0; i < 1u << in.size(); i++) {
      const auto bit = [&](int signal) {
        const auto at = std::ranges::find(in, signal) - in.begin();
        return (i >> at & 1) != 0;
      };
      if (value(bit)) table = static_cast<std::uint8_t>(table | 1u << i);
    }
    return table;
  }

  Node& node(int signal) { return nodes_[static_cast<std::size_t>(signal - inputs_)]; }
  const Node& node(int signal) const { return nodes_[static_cast<std::size_t>(signal - inputs_)]; }

  std::vector<int> readers(int output) const {
    std::vector<int> count(nodes_.size());
    std::vector<bool> reached(nodes_.size());
    std::vector<int> left{output};
    while (!left.empty()) {
      const int signal = left.back();
      left.pop_back();
      if (signal < inputs_ || reached[static_cast<std::size_t>(signal - inputs_)]) continue;
      reached[static_cast<std::size_t>(signal - inputs_)] = true;
      for (const int in : node(signal).in) {
        if (in >= inputs_) count[static_cast<std::size_t>(in - inputs_)]++;
        left.push_back(in);
      }
    }
    for (std::size_t i = 0; i < count.size(); i++)
      if (!reached[i]) count[i] = -1;
    return count;
  }

  bool join_one(int output) {
    const std::vector<int> count = readers(output);
    bool joined = false;
    for (std::size_t i = 0; i < nodes_.size(); i++) {
      if (count[i] < 0) continue;
      for (const int inner : std::vector<int>(nodes_[i].in)) {
        if (inner < inputs_ || count[static_cast<std::size_t>(inner - inputs_)] != 1) continue;
        std::vector<int> in = node(inner).in;
        for (const int other : nodes_[i].in)
          if (other != inner && std::ranges::find(in, other) == in.end()) in.push_back(other);
        if (in.size() > 3) continue;
        std::ranges::sort(in);
        const Node outer = nodes_[i], own = node(inner);
        nodes_[i] = {table_of(in,
                              [&](const auto& value) {
                                const bool result = at(own, value);
                                return at(outer, [&](int signal) {
                                  return signal == inner ? result : value(signal);
                                });
                              }),
                     in};
        joined = true;
        break;
      }
    }
    return joined;
  }

  template <class Value>
  static bool at(const Node& node, const Value& value) {
    unsigned index = 0;
    for (std::size_t k = 0; k < node.in.size(); k++)
      index |= static_cast<unsigned>(value(node.in[k])) << k;
    return node.table >> index & 1;
  }

  int emit(int signal, std::map<int, int>& names, std::vector<ProgramGate>& gates) const {
    if (signal < inputs_) return signal;
    if (const auto known = names.find(signal); known != names.end()) return known->second;
    const Node& from = node(signal);
    std::array<std::uint16_t, 3> in{};
    for (std::size_t k = 0; k < 3; k++) {
      const int each = from.in[std::min(k, from.in.size() - 1)];
      in[k] = static_cast<std::uint16_t>(emit(each, names, gates));
    }
    std::uint8_t table = 0;  // of the inputs as 4a + 2b + c
    for (unsigned i = 0; i < 8; i++) {
      unsigned index = 0;
      for (std::size_t k = 0; k < from.in.size(); k++) index |= (i >> (2 - k) & 1) << k;
      if (from.table >> index & 1) table = static_cast<std::uint8_t>(table | 1u << i);
    }
    gates.push_back({table, in});
    return names[signal] = inputs_ + static_cast<int>(gates.size()) - 1;
  }

  int inputs_;
  std::vector<Node> nodes_;
  std::map<Node, int> known_;
};

// Whether the count is at least `dead` for a cell that is not in state 1, or `alive` for one that
// is.
int at_least(Net& net, int bits, int dead, int alive) {
  const int x = bits, above = 1 << bits;
  dead = std::clamp(dead, 0, above);
  alive = std::clamp(alive, 0, above);
  int so_far = Net::kTrue;
  for (int k = 0; k <= bits; k++) {
    const int bit = k < bits ? k : Net::kFalse;
    const bool of_dead = dead >> k & 1, of_alive = alive >> k & 1;
    if (of_dead && of_alive) {
      so_far = net.gate(kGateA & kGateB, bit, so_far, so_far);
    } else if (!of_dead && !of_alive) {
      so_far = net.gate(kGateA | kGateB, bit, so_far, so_far);
    } else {
      const int strict = of_alive ? kGateC : ~kGateC;  // where the limit has this bit
      so_far = net.gate(((strict & kGateA & kGateB) | (~strict & (kGateA | kGateB))) & 255, bit,
                        so_far, x);
    }
  }
  return so_far;
}

// Two bits for every number of count_bits bits.
std::size_t words_of_table(const RangeRule& rule) {
  return ((std::size_t{2} << count_bits(rule)) + 31) / 32;
}

}  // namespace

int count_bits(const RangeRule& rule) {
  return std::bit_width(static_cast<unsigned>(rule.most() + (rule.middle ? 0 : 1)));
}

RangeGates range_gates(const RangeRule& rule) {
  RangeGates out;
  const int itself = rule.middle ? 0 : 1;  // which the count includes
  out.bits = count_bits(rule);
  Net net(out.bits + 1);
  const std::vector<CountSet::Run>&births = rule.birth.runs, &survivals = rule.survival.runs;
  const int never = 1 << out.bits;
  int lives = Net::kFalse;
  for (std::size_t i = 0; i < std::max(births.size(), survivals.size()); i++) {
    const CountSet::Run none{never, never - 1};
    const CountSet::Run born = i < births.size() ? births[i] : none;
    CountSet::Run kept = i < survivals.size() ? survivals[i] : none;
    if (i < survivals.size()) kept = {kept.first + itself, kept.last + itself};
    const int from = at_least(net, out.bits, born.first, kept.first);
    const int behind = at_least(net, out.bits, born.last + 1, kept.last + 1);
    lives = net.gate(kGateA | (kGateB & ~kGateC & 255), lives, from, behind);
  }
  net.join(lives);
  out.gates = net.program(lives);
  return out;
}

bool takes_table(const RangeRule& rule) {
  // A look takes several hundred instructions a word.
  constexpr std::size_t kMostRuns = 32;
  return std::max(rule.birth.runs.size(), rule.survival.runs.size()) > kMostRuns;
}

std::int64_t count_table_words(const RangeRule& rule) {
  return takes_table(rule) ? static_cast<std::int64_t>(words_of_table(rule)) : 0;
}

std::vector<std::uint32_t> count_table(const RangeRule& rule) {
  std::vector<std::uint32_t> out(words_of_table(rule));
  for (int n = 0; n <= rule.most() + 1; n++) {
    for (const int alive : {0, 1}) {
      const int count = alive && !rule.middle ? n - 1 : n;
      const auto at = static_cast<std::size_t>(2 * n + alive);
      if ((alive ? rule.survival : rule.birth).has(count) && at / 32 < out.size())
        out[at / 32] |= 1u << at % 32;
    }
  }
  return out;
}

}  // namespace tessera
