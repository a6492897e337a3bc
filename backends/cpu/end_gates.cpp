#include "backends/cpu/end_gates.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace tessera {
namespace {

constexpr std::uint8_t kCopy = 0xF0;

}  // namespace

EndProgram::EndProgram(const Rule& rule) : states(state_program(rule, {})) {
  const RangeGates range = range_gates(*rule.range);
  bits = range.bits;
  const int planes = states.planes;
  for (const ProgramGate& gate : range.gates) {
    ProgramGate own = gate;
    // The bit of state 1 is plane 0, and the other planes stand behind it.
    for (std::uint16_t& in : own.in)
      if (in > bits) in = static_cast<std::uint16_t>(in + planes - 1);
    gates.push_back(own);
  }
  const int lives = inputs() + cost() - 1;
  const auto signal = [&](int of_states) {
    return static_cast<std::uint16_t>(of_states < planes ? bits + of_states
                                                         : lives + of_states - planes);
  };
  for (const ProgramGate& gate : states.gates)
    gates.push_back({gate.table, {signal(gate.in[0]), signal(gate.in[1]), signal(gate.in[2])}});
  std::vector<bool> used(gates.size());
  for (int plane = 0; plane < planes; plane++) {
    if (!states.makes(plane)) continue;
    std::uint16_t made = signal(states.next[static_cast<std::size_t>(plane)]);
    const auto gate = static_cast<std::size_t>(made - inputs());
    if (used[gate]) {  // a signal that two planes become
      gates.push_back({kCopy, {made, made, made}});
      used.push_back(false);
      made = static_cast<std::uint16_t>(inputs() + cost() - 1);
    }
    used[static_cast<std::size_t>(made - inputs())] = true;
    next.push_back(made);
  }
}

EndGates::EndGates(const EndProgram& all) {
  const auto inputs = static_cast<std::size_t>(all.inputs());
  const auto bits = static_cast<std::size_t>(all.bits);
  std::vector<Place> places(inputs + all.gates.size());
  for (std::size_t i = 0; i < inputs; i++) {
    const bool sum = i < bits;
    places[i] = {sum ? Kind::sum : Kind::plane, static_cast<std::uint16_t>(sum ? i : i - bits)};
  }
  std::vector<std::size_t> last(places.size());
  for (std::size_t i = 0; i < all.gates.size(); i++)
    for (const std::uint16_t in : all.gates[i].in) last[in] = i;
  std::vector<std::uint16_t> free;
  for (std::size_t i = 0; i < all.gates.size(); i++) {
    Step step{gate_functions()[all.gates[i].table], {}, {}};
    std::vector<std::uint16_t> ended;
    for (std::size_t k = 0; k < 3; k++) {
      const std::uint16_t in = all.gates[i].in[k];
      step.in[k] = places[in];
      if (last[in] == i && places[in].kind == Kind::buffer) ended.push_back(places[in].at);
    }
    std::ranges::sort(ended);
    ended.erase(std::unique(ended.begin(), ended.end()), ended.end());
    free.insert(free.end(), ended.begin(), ended.end());
    const auto made = std::ranges::find(all.next, inputs + i);
    if (made != all.next.end()) {
      step.out = {Kind::made, static_cast<std::uint16_t>(made - all.next.begin())};
    } else if (!free.empty()) {
      step.out = {Kind::buffer, free.back()};
      free.pop_back();
    } else {
      step.out = {Kind::buffer, static_cast<std::uint16_t>(buffers_++)};
    }
    places[inputs + i] = step.out;
    steps_.push_back(step);
  }
}

std::uint64_t* EndGates::at(const Row& row, const Place& place) {
  switch (place.kind) {
    case Kind::sum:
      return const_cast<std::uint64_t*>(row.sums) + place.at * row.stride;
    case Kind::plane:
      return const_cast<std::uint64_t*>(row.from[place.at]);
    case Kind::buffer:
      return row.buffers + place.at * row.stride;
    default:
      return row.to[place.at];
  }
}

void EndGates::run(const Row& row) const {
  for (const Step& step : steps_) {
    step.function(at(row, step.in[0]), at(row, step.in[1]), at(row, step.in[2]), at(row, step.out),
                  row.words);
  }
}

}  // namespace tessera
