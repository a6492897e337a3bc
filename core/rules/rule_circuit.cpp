#include "core/rules/rule_circuit.h"

#include <array>
#include <optional>

#include "core/base/memo.h"

namespace tessera {

namespace {

constexpr std::array<SignalTable, kRuleSignals> kInputs = {kSignalT0, kSignalK, kSignalU0,
                                                           kSignalU1, kSignalX};
constexpr int kMaxSignals = 12;
constexpr int kX = 4;

// What a gate must output: `value` where `care` is set, anything elsewhere.
struct Wanted {
  SignalTable value, care;
};

SignalTable apply(std::uint8_t table, SignalTable a, SignalTable b, SignalTable c) {
  SignalTable out = 0;
  for (unsigned i = 0; i < 8; i++) {
    if (table >> i & 1) out |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  }
  return out;
}

// The signals available while a circuit grows.
struct Signals {
  std::array<SignalTable, kMaxSignals> tables{};
  std::array<RuleGate, kMaxSignals> gates{};
  int count = 0;

  Signals() {
    for (const SignalTable input : kInputs) tables[count++] = input;
  }
  void add(const RuleGate& gate) {
    gates[count - kRuleSignals] = gate;
    tables[count++] = apply(gate.table, tables[gate.a], tables[gate.b], tables[gate.c]);
  }
  RuleCircuit circuit() const {
    RuleCircuit out;
    out.gates.assign(gates.begin(), gates.begin() + (count - kRuleSignals));
    return out;
  }
};

RuleGate gate_of(std::uint32_t table, int a, int b, int c) {
  return {static_cast<std::uint8_t>(table), static_cast<std::uint8_t>(a),
          static_cast<std::uint8_t>(b), static_cast<std::uint8_t>(c)};
}

// One gate over signals a, b, c that outputs what is wanted.
std::optional<RuleGate> one_gate(const Signals& s, const Wanted& f, int a, int b, int c) {
  std::uint32_t table = 0;
  for (unsigned i = 0; i < 8; i++) {
    const SignalTable where = (i & 4 ? s.tables[a] : ~s.tables[a]) &
                              (i & 2 ? s.tables[b] : ~s.tables[b]) &
                              (i & 1 ? s.tables[c] : ~s.tables[c]) & f.care;
    const bool ones = where & f.value, zeros = where & ~f.value;
    if (ones && zeros) return std::nullopt;
    if (ones) table |= 1u << i;
  }
  return gate_of(table, a, b, c);
}

// Two gates, h over (a, b, c) and the last over (p, q, h). For each value of (p, q), the inputs on
// which the result must be 0 and those on which it must be 1 must differ in h: eight classes of (a,
// b, c) are coloured accordingly, and classes that must agree or differ are joined as they are met.
class TwoGates {
 public:
  TwoGates(const Signals& s, const Wanted& f, int a, int b, int c)
      : s_(s), f_(f), a_(a), b_(b), c_(c) {
    for (unsigned i = 0; i < 8; i++) {
      classes_[i] = (i & 4 ? s.tables[a] : ~s.tables[a]) & (i & 2 ? s.tables[b] : ~s.tables[b]) &
                    (i & 1 ? s.tables[c] : ~s.tables[c]);
    }
  }

  // The table of h, if one exists.
  std::optional<std::uint32_t> colour(int p, int q) const {
    // Groups of classes whose colours depend on each other: those equal to the group's, and those
    // opposite.
    std::array<std::array<std::uint32_t, 2>, 4> groups{};
    int count = 0;
    for (unsigned i = 0; i < 4; i++) {
      const SignalTable where =
          (i & 2 ? s_.tables[p] : ~s_.tables[p]) & (i & 1 ? s_.tables[q] : ~s_.tables[q]) & f_.care;
      const SignalTable ones = where & f_.value, zeros = where & ~f_.value;
      if (!ones || !zeros) continue;
      std::array<std::uint32_t, 2> sides{};
      for (unsigned k = 0; k < 8; k++) {
        if (zeros & classes_[k]) sides[0] |= 1u << k;
        if (ones & classes_[k]) sides[1] |= 1u << k;
      }
      if (sides[0] & sides[1]) return std::nullopt;
      int kept = 0;
      for (int g = 0; g < count; g++) {
        const bool same = (groups[g][0] & sides[0]) || (groups[g][1] & sides[1]);
        const bool opposite = (groups[g][0] & sides[1]) || (groups[g][1] & sides[0]);
        if (same && opposite) return std::nullopt;
        if (same || opposite) {
          sides[0] |= groups[g][opposite];
          sides[1] |= groups[g][!opposite];
        } else {
          groups[kept++] = groups[g];
        }
      }
      if (sides[0] & sides[1]) return std::nullopt;
      groups[kept++] = sides;
      count = kept;
    }
    std::uint32_t table = 0;
    for (int g = 0; g < count; g++) table |= groups[g][1];
    return table;
  }

  bool extend(Signals& out, int p, int q) const {
    const std::optional<std::uint32_t> h = colour(p, q);
    if (!h) return false;
    const int at = out.count;
    out.add(gate_of(*h, a_, b_, c_));
    out.add(*one_gate(out, f_, p, q, at));
    return true;
  }

 private:
  const Signals& s_;
  Wanted f_;
  int a_, b_, c_;
  std::array<SignalTable, 8> classes_{};
};

// Adds one gate over the first `signals` that outputs f.
bool add_one(Signals& s, const Wanted& f, int signals) {
  for (int a = 0; a < signals; a++) {
    for (int b = a + 1; b < signals; b++) {
      for (int c = b + 1; c < signals; c++) {
        if (const std::optional<RuleGate> gate = one_gate(s, f, a, b, c)) {
          s.add(*gate);
          return true;
        }
      }
    }
  }
  return false;
}

// Adds two gates over the first `signals`; `needed` (or -1) must be read by one of them.
bool add_two(Signals& s, const Wanted& f, int signals, int needed) {
  for (int a = 0; a < signals; a++) {
    for (int b = a + 1; b < signals; b++) {
      for (int c = b + 1; c < signals; c++) {
        const bool has = needed < 0 || a == needed || b == needed || c == needed;
        const TwoGates two(s, f, a, b, c);
        for (int p = 0; p < signals; p++) {
          for (int q = p + 1; q < signals; q++) {
            if (!has && p != needed && q != needed) continue;
            if (two.extend(s, p, q)) return true;
          }
        }
      }
    }
  }
  return false;
}

// Visits every first gate over the first `inputs` signals once, up to its complement; `visit`
// returns true to stop.
template <class Visit>
bool each_first_gate(int inputs, const Visit& visit) {
  for (int a = 0; a < inputs; a++) {
    for (int b = a + 1; b < inputs; b++) {
      for (int c = b + 1; c < inputs; c++) {
        for (std::uint32_t table = 1; table < 128; table++) {
          // Functions of fewer than three inputs are visited once, where the missing input is the
          // last possible one.
          const bool reads_a = (table >> 4 & 15) != (table & 15);
          const bool reads_b = (table >> 2 & 0x33) != (table & 0x33);
          const bool reads_c = (table >> 1 & 0x55) != (table & 0x55);
          if (reads_a + reads_b + reads_c < 2) continue;
          if (!reads_c && c != inputs - 1) continue;
          if (!reads_b && b != c - 1) continue;
          if (!reads_a && a != 0) continue;
          if (visit(gate_of(table, a, b, c))) return true;
        }
      }
    }
  }
  return false;
}

// f as a function of (x, P, Q): for every value of (t0, k, u0, u1) the pair (birth, survival) must
// follow from (P, Q). Any two of birth, survival and their difference suffice.
struct Halves {
  std::array<Wanted, 3> parts;
};

Halves halves_of(const Wanted& f) {
  const SignalTable birth = f.value & 0xFFFF, survival = f.value >> 16;
  const SignalTable birth_care = f.care & 0xFFFF, survival_care = f.care >> 16;
  const auto both = [](SignalTable half) { return half | half << 16; };
  const SignalTable care = both(birth_care & survival_care);
  return {{{{both(birth), both(birth_care)},
            {both(survival), both(survival_care)},
            {both(birth ^ survival), care}}}};
}

constexpr int kPairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};

// L(x, P, Q) with P and Q of one or two gates each over the available signals; at most `most` gates
// including the last.
bool add_halves(Signals& s, const Wanted& f, int most) {
  const Halves halves = halves_of(f);
  const int signals = s.count;
  for (const auto& pair : kPairs) {
    Signals trial = s;
    const int before = trial.count;
    const auto grow = [&](const Wanted& part) {
      Signals one = trial;
      if (add_one(one, part, signals)) {
        trial = one;
        return true;
      }
      return add_two(trial, part, signals, -1);
    };
    if (!grow(halves.parts[pair[0]])) continue;
    const int p = trial.count - 1;
    if (!grow(halves.parts[pair[1]])) continue;
    const int q = trial.count - 1;
    if (trial.count - before + 1 > most) continue;
    const std::optional<RuleGate> last = one_gate(trial, f, kX, p, q);
    if (!last) continue;
    trial.add(*last);
    s = trial;
    return true;
  }
  return false;
}

Signals seven_gates(const Wanted& f) {
  Signals s;
  std::array<int, 4> tables{};
  for (unsigned i = 0; i < 4; i++) {  // i = x and t0
    std::uint32_t table = 0;
    for (unsigned k = 0; k < 8; k++) {  // k = (k, u0, u1) as a, b, c
      const unsigned at =
          (i & 1) | (k >> 2 & 1) << 1 | (k >> 1 & 1) << 2 | (k & 1) << 3 | (i >> 1) << 4;
      if (f.value >> at & 1) table |= 1u << k;
    }
    tables[i] = s.count;
    s.add(gate_of(table, 1, 2, 3));
  }
  constexpr std::uint32_t kSelect = 0xCA;  // a ? b : c
  const int dead = s.count;
  s.add(gate_of(kSelect, 0, tables[1], tables[0]));
  s.add(gate_of(kSelect, 0, tables[3], tables[2]));
  s.add(gate_of(kSelect, kX, dead + 1, dead));
  return s;
}

}  // namespace

SignalTable table_of(const RuleCircuit& circuit) {
  Signals s;
  for (const RuleGate& gate : circuit.gates) s.add(gate);
  return s.tables[s.count - 1];
}

namespace {

RuleCircuit search(const Wanted& f) {
  Signals s;
  if (add_one(s, f, kRuleSignals) || add_two(s, f, kRuleSignals, -1)) return s.circuit();
  const auto with_first = [&](const auto& finish) {
    return [&s, finish](const RuleGate& gate) {
      Signals trial;
      trial.add(gate);
      if (!finish(trial)) return false;
      s = trial;
      return true;
    };
  };
  if (each_first_gate(kRuleSignals, with_first([&](Signals& t) { return add_two(t, f, 6, 5); })))
    return s.circuit();
  for (int most = 4; most <= 6; most++) {
    Signals t;
    if (add_halves(t, f, most)) return t.circuit();
    if (each_first_gate(4, with_first([&](Signals& u) { return add_halves(u, f, most - 1); })))
      return s.circuit();
  }
  return seven_gates(f).circuit();
}

}  // namespace

RuleCircuit find_rule_circuit(const Rule& rule) {
  static Memo<SignalTable, RuleCircuit> known;
  const SignalTable table = rule_table(rule);
  if (std::optional<RuleCircuit> circuit = known.find(table)) return *circuit;
  return known.keep(table, search({table, kSignalsThatOccur}));
}

}  // namespace tessera
