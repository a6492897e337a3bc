#include "core/rules/first_circuit.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "core/rules/pattern_set.h"

namespace tessera {
namespace {

// The table of "where selector then high else low", for a gate over (selector, low, high).
std::uint8_t selection(const NetSignal& low, const NetSignal& high) {
  std::uint8_t table = 0;
  for (int i = 0; i < 8; i++) {
    const NetSignal& from = i & 4 ? high : low;
    const bool input = (i & 4 ? i & 1 : i >> 1 & 1) != 0;
    if (from.signal == kConstant ? from.negated : input != from.negated)
      table = static_cast<std::uint8_t>(table | 1 << i);
  }
  return table;
}

NetSignal select(GateNet& net, int selector, const NetSignal& low, const NetSignal& high) {
  const auto input = [&](const NetSignal& from) {
    return from.signal == kConstant ? selector : from.signal;
  };
  return {net.add(selection(low, high), {selector, input(low), input(high)}), false};
}

class OrderedDecisions {
 public:
  explicit OrderedDecisions(const std::vector<int>& order) : order_(order) {}

  GateNet make(const NeighbourhoodTable& wanted) {
    std::vector<bool> f(kPatterns);
    for (std::size_t i = 0; i < f.size(); i++) {
      int pattern = 0;
      for (std::size_t j = 0; j < order_.size(); j++) {
        if (i >> (8 - j) & 1) pattern |= 1 << (8 - order_[j]);
      }
      f[i] = wanted.at(pattern);
    }
    net_.out = decide(0, std::move(f));
    return std::move(net_);
  }

 private:
  // `f` by the cells from `level` on, the first of them the highest bit of the index.
  NetSignal decide(std::size_t level, std::vector<bool> f) {
    const bool negated = f[0];
    if (negated) f.flip();
    const auto known = known_.find(f);
    if (known != known_.end()) return {known->second.signal, known->second.negated != negated};
    NetSignal result;
    if (f.size() > 1) {
      const auto half = f.begin() + static_cast<std::ptrdiff_t>(f.size() / 2);
      const std::vector<bool> low(f.begin(), half), high(half, f.end());
      if (low == high) {
        result = decide(level + 1, low);
      } else {
        const NetSignal a = decide(level + 1, low), b = decide(level + 1, high);
        result = select(net_, cell_signal(order_[level]), a, b);
      }
    }
    known_[std::move(f)] = result;
    return {result.signal, result.negated != negated};
  }

  const std::vector<int>& order_;
  GateNet net_;
  std::map<std::vector<bool>, NetSignal> known_;  // the length tells the level
};

class EntropyDecisions {
 public:
  EntropyDecisions(double noise, std::mt19937_64& random) : noise_(noise), random_(random) {
    for (int cell = 0; cell < 9; cell++) signals_.push_back(cell_signal(cell));
    // t0, k, u0 and u1 of core/rules/circuit.inl: the sum of the nine is t0 + 2k + 2u0 + 4u1.
    for (const int function : {0x96, 0xE8}) {
      std::array<int, 3> rows{};
      for (int r = 0; r < 3; r++)
        rows[static_cast<std::size_t>(r)] = r * kRowFunctions + function / 2;
      signals_.push_back(net_.add(0x96, rows));
      signals_.push_back(net_.add(0xE8, rows));
    }
  }

  GateNet make(const NeighbourhoodTable& wanted) {
    net_.out = decide(wanted, ~wanted);
    return std::move(net_);
  }

 private:
  NetSignal decide(const NeighbourhoodTable& on, const NeighbourhoodTable& off) {
    if (empty(on)) return {kConstant, false};
    if (empty(off)) return {kConstant, true};
    if (const auto signal = fitting(on, off)) return *signal;
    if (const auto gate = one_gate(on, off)) return *gate;
    const int selector = best_decision(on, off);
    const NeighbourhoodTable v = net_.value(selector);
    const NetSignal low = decide(on & ~v, off & ~v), high = decide(on & v, off & v);
    return select(net_, selector, low, high);
  }

  std::optional<NetSignal> fitting(const NeighbourhoodTable& on,
                                   const NeighbourhoodTable& off) const {
    const auto fits = [&](int id) -> std::optional<NetSignal> {
      const NeighbourhoodTable& v = net_.value(id);
      if (!meet(on, ~v) && !meet(off, v)) return NetSignal{id, false};
      if (!meet(on, v) && !meet(off, ~v)) return NetSignal{id, true};
      return std::nullopt;
    };
    for (const int id : signals_) {
      if (const auto found = fits(id)) return found;
    }
    for (std::size_t i = 0; i < net_.gates.size(); i++) {
      if (const auto found = fits(kGateSignal + static_cast<int>(i))) return found;
    }
    return std::nullopt;
  }

  std::optional<NetSignal> one_gate(const NeighbourhoodTable& on, const NeighbourhoodTable& off) {
    for (std::size_t a = 0; a < signals_.size(); a++) {
      for (std::size_t b = a + 1; b < signals_.size(); b++) {
        for (std::size_t c = b + 1; c < signals_.size(); c++) {
          const std::array<int, 3> in = {signals_[a], signals_[b], signals_[c]};
          const auto table = fitting_gate(net_.value(in[0]), net_.value(in[1]), net_.value(in[2]),
                                          on, off, [] { return false; });
          if (table) return NetSignal{net_.add(*table, in), false};
        }
      }
    }
    return std::nullopt;
  }

  int best_decision(const NeighbourhoodTable& on, const NeighbourhoodTable& off) {
    double least = INFINITY;
    int best = signals_.front();
    for (const int id : signals_) {
      const NeighbourhoodTable& v = net_.value(id);
      const NeighbourhoodTable on1 = on & v, off1 = off & v, on0 = on & ~v, off0 = off & ~v;
      if ((empty(on1) && empty(off1)) || (empty(on0) && empty(off0))) continue;
      double left = entropy(on1, off1) + entropy(on0, off0);
      left *= 1 + noise_ * static_cast<double>(random_() >> 11) * 0x1p-53;
      if (left < least) least = left, best = id;
    }
    return best;
  }

  // Bits that it takes to tell `on` from `off`.
  static double entropy(const NeighbourhoodTable& on, const NeighbourhoodTable& off) {
    const auto size = [](const NeighbourhoodTable& set) {
      int bits = 0;
      for (const std::uint64_t word : set.words) bits += std::popcount(word);
      return static_cast<double>(bits);
    };
    const double a = size(on), b = size(off);
    if (a == 0 || b == 0) return 0;
    return a * std::log2((a + b) / a) + b * std::log2((a + b) / b);
  }

  GateNet net_;
  std::vector<int> signals_;  // that decisions are made on
  double noise_;
  std::mt19937_64& random_;
};

}  // namespace

GateNet decide_in_order(const NeighbourhoodTable& wanted, const std::vector<int>& order) {
  return OrderedDecisions(order).make(wanted);
}

GateNet decide_by_entropy(const NeighbourhoodTable& wanted, double noise, std::mt19937_64& random) {
  return EntropyDecisions(noise, random).make(wanted);
}

}  // namespace tessera
