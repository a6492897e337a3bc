#include "core/rules/circuit_search.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "core/rules/pattern_set.h"

namespace tessera {
namespace {

constexpr int kNewGates = 16;         // that do not exist yet and may be read
constexpr int kNewRowFunctions = 4;   // likewise
constexpr int kReplacements = 6;      // that are tried for one gate
constexpr std::size_t kSamples = 64;  // pairs of patterns that a replacement must tell apart

}  // namespace

// A signal that a new gate may read, and which of the sampled pairs it tells apart.
struct CircuitSearch::Candidate {
  int signal;
  std::array<std::uint64_t, 2> tells;
};

// What a gate must be: true on one set, false on another.
struct CircuitSearch::Target {
  std::size_t gate;
  NeighbourhoodTable on, off;
  std::array<std::pair<int, int>, 2 * kSamples> pairs;
};

CircuitSearch::CircuitSearch(const GateNet& start, std::mt19937_64& random)
    : random_(random),
      current_(cleaned(start).value()),
      best_(current_),
      cost_(current_.cost()),
      best_cost_(cost_) {}

void CircuitSearch::run(int tries, const std::stop_token& stop) {
  for (int i = 0; i < tries && !stop.stop_requested(); i++) {
    const double left = 1 - static_cast<double>(i) / tries;
    move(0.5 * left * left + 0.02);
    if (cost_ > best_cost_ + 3 + best_cost_ / 10) current_ = best_, cost_ = best_cost_;
  }
}

// The patterns on which the output depends on a gate; `above` becomes the gates that read it.
NeighbourhoodTable CircuitSearch::observed(std::size_t gate, std::vector<bool>& above) const {
  std::vector<NeighbourhoodTable> changed(current_.gates.size());
  above.assign(current_.gates.size(), false);
  const auto is_above = [&](int id) {
    return id >= kGateSignal && above[static_cast<std::size_t>(id - kGateSignal)];
  };
  const auto value = [&](int id) -> const NeighbourhoodTable& {
    return is_above(id) ? changed[static_cast<std::size_t>(id - kGateSignal)] : current_.value(id);
  };
  above[gate] = true;
  changed[gate] = ~current_.gates[gate].value;
  for (std::size_t i = gate + 1; i < current_.gates.size(); i++) {
    const std::array<int, 3>& in = current_.gates[i].in;
    if (!std::any_of(in.begin(), in.end(), is_above)) continue;
    changed[i] = gate_output(current_.gates[i].table, value(in[0]), value(in[1]), value(in[2]));
    above[i] = true;
  }
  return value(current_.out.signal) ^ current_.value(current_.out.signal);
}

std::vector<CircuitSearch::Candidate> CircuitSearch::candidates(const Target& target,
                                                                const std::vector<bool>& above,
                                                                GateNet& with_more) {
  std::vector<Candidate> out;
  const auto add = [&](int signal) {
    const NeighbourhoodTable& v = with_more.value(signal);
    Candidate each{signal, {}};
    for (std::size_t i = 0; i < 2 * kSamples; i++) {
      const auto& [on, off] = target.pairs[i];
      each.tells[i / kSamples] |= std::uint64_t{v.at(on) != v.at(off)} << i % kSamples;
    }
    if (each.tells[0] | each.tells[1]) out.push_back(each);
  };
  std::vector<bool> functions = current_.row_functions();
  for (int i = 0; i < kNewRowFunctions; i++)
    functions[static_cast<std::size_t>(1 + below(kRowFunctions - 1))] = true;
  for (int f = 1; f < kRowFunctions; f++) {
    if (!functions[static_cast<std::size_t>(f)] || is_cell(f)) continue;
    for (int row = 0; row < 3; row++) add(row * kRowFunctions + f);
  }
  for (int cell = 0; cell < 9; cell++) add(cell_signal(cell));
  for (std::size_t i = 0; i < above.size(); i++) {
    if (!above[i]) add(kGateSignal + static_cast<int>(i));
  }
  if (const std::size_t real = out.size(); real > 2) {
    for (int i = 0; i < kNewGates; i++) {
      std::array<int, 3> in{};
      for (int& id : in) id = out[static_cast<std::size_t>(below(real))].signal;
      add(with_more.add(static_cast<std::uint8_t>(random_() >> 20), in));
    }
  }
  for (std::size_t i = out.size(); i > 1; i--)
    std::swap(out[i - 1], out[static_cast<std::size_t>(below(i))]);
  return out;
}

void CircuitSearch::move(double temperature) {
  if (current_.gates.empty()) return;
  Target target;
  target.gate = static_cast<std::size_t>(below(current_.gates.size()));
  std::vector<bool> above;
  const NeighbourhoodTable care = observed(target.gate, above);
  const NeighbourhoodTable& value = current_.gates[target.gate].value;
  target.on = value & care;
  target.off = ~value & care;
  std::vector<int> ons, offs;
  for (int p = 0; p < kPatterns; p++) {
    if (target.on.at(p)) ons.push_back(p);
    if (target.off.at(p)) offs.push_back(p);
  }
  GateNet with_more = current_;
  if (ons.empty() || offs.empty()) {
    with_more.gates[target.gate].table = ons.empty() ? 0x00 : 0xFF;
    take(with_more, temperature);
    return;
  }
  for (auto& pair : target.pairs) {
    pair.first = ons[static_cast<std::size_t>(below(ons.size()))];
    pair.second = offs[static_cast<std::size_t>(below(offs.size()))];
  }
  const std::vector<Candidate> all = candidates(target, above, with_more);
  replace(target, all, with_more, temperature);
}

void CircuitSearch::replace(const Target& target, const std::vector<Candidate>& all,
                            const GateNet& with_more, double temperature) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  std::array<int, 3> old = current_.gates[target.gate].in;
  std::sort(old.begin(), old.end());
  // What does not matter is left to chance.
  const auto fitting = [&](const std::array<int, 3>& in) {
    return fitting_gate(with_more.value(in[0]), with_more.value(in[1]), with_more.value(in[2]),
                        target.on, target.off, [&] { return (random_() & 1) != 0; });
  };
  int shown = 0;
  for (std::size_t a = 0; a < all.size(); a++) {
    for (std::size_t b = a + 1; b < all.size(); b++) {
      const std::uint64_t told0 = all[a].tells[0] | all[b].tells[0],
                          told1 = all[a].tells[1] | all[b].tells[1];
      for (std::size_t c = b + 1; c < all.size(); c++) {
        if ((told0 | all[c].tells[0]) != kAll || (told1 | all[c].tells[1]) != kAll) continue;
        const std::array<int, 3> in = {all[a].signal, all[b].signal, all[c].signal};
        std::array<int, 3> sorted = in;
        std::sort(sorted.begin(), sorted.end());
        if (sorted == old) continue;
        const std::optional<std::uint8_t> table = fitting(in);
        if (!table) continue;
        GateNet changed = with_more;
        changed.gates[target.gate].table = *table;
        changed.gates[target.gate].in = in;
        if (take(changed, temperature) || ++shown == kReplacements) return;
      }
    }
  }
}

// A longer circuit only by chance.
bool CircuitSearch::take(const GateNet& changed, double temperature) {
  std::optional<GateNet> clean = cleaned(changed);
  if (!clean) return false;
  const int cost = clean->cost();
  if (cost > cost_ && std::exp((cost_ - cost) / temperature) < chance()) return false;
  current_ = std::move(*clean);
  cost_ = cost;
  if (cost < best_cost_) best_ = current_, best_cost_ = cost;
  return true;
}

}  // namespace tessera
