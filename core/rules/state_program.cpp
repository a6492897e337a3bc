#include "core/rules/state_program.h"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include "core/rules/age_register.h"
#include "core/rules/gate_table.h"
#include "core/rules/range_rule.h"
#include "core/rules/rule_tables.h"

namespace tessera {
namespace {

// Tables of gates, over the inputs a, b, c as 0xF0, 0xCC, 0xAA.
class Builder {
 public:
  Builder(const GateProgram& lives, int planes, std::uint16_t living = 1)
      : program_{lives, planes, {}, {}, {0, living}} {}

  int lives() const { return program_.planes; }
  int gate(int table, int a, int b, int c) {
    program_.gates.push_back({static_cast<std::uint8_t>(table & 255),
                              {static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b),
                               static_cast<std::uint16_t>(c)}});
    return program_.planes + static_cast<int>(program_.gates.size());
  }
  void becomes(int signal) { program_.next.push_back(static_cast<std::uint16_t>(signal)); }
  void code(unsigned code) { program_.codes.push_back(static_cast<std::uint16_t>(code)); }
  StateProgram take() { return std::move(program_); }

 private:
  StateProgram program_;
};

bool nothing_survives(const Rule& rule) {
  if (rule.ranged()) return rule.range->survival.runs.empty();
  for (int p = 0; p < kPatterns; p++) {
    if (centre_lives(p) && rule.next_of(p)) return false;
  }
  return true;
}

// Planes 1 to `bits` are the register, plane 0 the cells of state 1.
StateProgram shifted_ages(const Rule& rule, const GateProgram& lives, const AgeRegister& ages) {
  Builder out(lives, 1 + ages.bits);
  const int top = ages.bits;
  int any = 1;  // of the planes below the highest
  for (int bit = 2; bit < top; bit += 2)
    any = out.gate(kGateA | kGateB | kGateC, any, bit, bit + 1 < top ? bit + 1 : bit);
  // What lives, unless something is dying there.
  out.becomes(out.gate(kGateA & ~kGateB & ~kGateC, out.lives(), any, top));
  const bool all_die = nothing_survives(rule);
  if (ages.feedback.empty()) {
    out.becomes(all_die ? 0 : out.gate(kGateA & ~kGateB, 0, out.lives(), out.lives()));
  } else {
    int fed = 0;  // the gate before is the only one that another reads
    const auto signal = [&](std::uint16_t in) {
      return in < ages.bits ? 1 + in : in == ages.bits ? any : fed;
    };
    for (const auto& [table, in] : ages.feedback)
      fed = out.gate(table, signal(in[0]), signal(in[1]), signal(in[2]));
    out.becomes(
        out.gate(all_die ? kGateA | kGateB : kGateA | (kGateB & ~kGateC), fed, 0, out.lives()));
  }
  for (int i = 1; i < ages.bits; i++) out.becomes(i);
  for (const unsigned code : ages.codes) out.code(code << 1);
  return out.take();
}

// Planes: heads, tails, and what conducts: wire, heads and tails, which is always the same. No head
// becomes one (`lives` says so).
StateProgram wires(const GateProgram& lives) {
  Builder out(lives, 3, 5);
  out.becomes(out.gate(kGateA & kGateB & ~kGateC, out.lives(), 2, 1));
  out.becomes(0);
  out.becomes(2);
  out.code(6);
  out.code(4);
  return out.take();
}

}  // namespace

StateProgram state_program(const Rule& rule, const GateProgram& lives) {
  if (rule.family == RuleFamily::wire_world) return wires(lives);
  if (rule.states() == 2) return {lives};
  return shifted_ages(rule, lives, AgeRegister::of(static_cast<std::size_t>(rule.states() - 2)));
}

std::vector<std::uint16_t> state_codes(const Rule& rule) {
  if (rule.from_file()) {
    std::vector<std::uint16_t> codes(static_cast<std::size_t>(rule.states()));
    std::iota(codes.begin(), codes.end(), std::uint16_t{0});
    return codes;
  }
  return state_program(rule, {{}, {{kGateB, {0, 4, 0}}}}).codes;
}

}  // namespace tessera
