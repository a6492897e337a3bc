#include "core/rules/state_program.h"

#include <array>
#include <bit>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/memo.h"
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

// Ages as a shift register: the first dying state has bit 0 alone, each step moves all bits up and
// puts a function of three of them, if there is one, into bit 0, and behind the highest bit alone
// comes nothing.
struct Register {
  int bits = 0;
  std::optional<ProgramGate> feedback{};  // over bits of the register
  std::vector<unsigned> codes;            // of the dying states in order
};

// The code that follows `code`; 0 comes behind the last.
unsigned following(const Register& shape, unsigned code) {
  unsigned in = 0;
  if (shape.feedback) {
    const auto& [table, from] = *shape.feedback;
    const unsigned at =
        (code >> from[0] & 1) << 2 | (code >> from[1] & 1) << 1 | (code >> from[2] & 1);
    in = table >> at & 1u;
  }
  return (code << 1 | in) & ((1u << shape.bits) - 1);
}

// Whether the register goes through so many codes, which it is given then.
bool runs_through(Register& shape, std::size_t dying) {
  std::size_t count = 0;
  for (unsigned code = 1; code != 0 && count <= dying; code = following(shape, code)) count++;
  if (count != dying) return false;
  for (unsigned code = 1; code != 0; code = following(shape, code)) shape.codes.push_back(code);
  return true;
}

std::optional<Register> search_register(std::size_t dying) {
  const auto least = static_cast<int>(std::bit_width(dying));
  for (int bits = least; bits <= least + 1; bits++) {
    Register shape{bits, {}, {}};
    if (runs_through(shape, dying)) return shape;
    for (int c = 0; c < bits; c++) {
      for (int b = 0; b <= c; b++) {
        for (int a = 0; a <= b; a++) {
          for (int table = 2; table < 256; table += 2) {  // nothing comes from nothing
            shape.feedback = {static_cast<std::uint8_t>(table),
                              {static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b),
                               static_cast<std::uint16_t>(c)}};
            if (runs_through(shape, dying)) return shape;
          }
        }
      }
    }
  }
  return std::nullopt;
}

// A register for so many dying states, of as few bits as can hold them or one more.
std::optional<Register> find_register(std::size_t dying) {
  static Memo<std::size_t, std::optional<Register>> known;
  if (const std::optional<std::optional<Register>> found = known.find(dying)) return *found;
  return known.keep(dying, search_register(dying));
}

bool nothing_survives(const Rule& rule) {
  if (rule.ranged()) return rule.range->survival.runs.empty();
  for (int p = 0; p < kPatterns; p++) {
    if (centre_lives(p) && rule.next_of(p)) return false;
  }
  return true;
}

// Planes 1 to `bits` are the register, plane 0 the cells of state 1.
StateProgram shifted_ages(const Rule& rule, const GateProgram& lives, const Register& ages) {
  Builder out(lives, 1 + ages.bits);
  // What lives, unless something is dying there.
  int alive = out.lives(), bit = 1;
  for (; bit + 1 <= ages.bits; bit += 2)
    alive = out.gate(kGateA & ~kGateB & ~kGateC, alive, bit, bit + 1);
  if (bit <= ages.bits) alive = out.gate(kGateA & ~kGateB, alive, bit, bit);
  out.becomes(alive);
  const bool all_die = nothing_survives(rule);
  if (ages.feedback) {
    const auto& [table, from] = *ages.feedback;
    const int fed = out.gate(table, 1 + from[0], 1 + from[1], 1 + from[2]);
    out.becomes(
        out.gate(all_die ? kGateA | kGateB : kGateA | (kGateB & ~kGateC), fed, 0, out.lives()));
  } else {
    out.becomes(all_die ? 0 : out.gate(kGateA & ~kGateB, 0, out.lives(), out.lives()));
  }
  for (int i = 1; i < ages.bits; i++) out.becomes(i);
  for (const unsigned code : ages.codes) out.code(code << 1);
  return out.take();
}

// Ages as a number that counts up to its end and then is 0 again.
StateProgram counted_ages(const Rule& rule, const GateProgram& lives) {
  const auto dying = static_cast<unsigned>(rule.states() - 2);
  const int bits = std::bit_width(dying);
  const unsigned first = (1u << bits) - dying;
  Builder out(lives, 1 + bits);
  int any = 1;  // something is dying here
  for (int bit = 2; bit <= bits; bit += 2)
    any = out.gate(kGateA | kGateB | kGateC, any, bit, bit + 1 <= bits ? bit + 1 : bit);
  const int alive = out.gate(kGateA & ~kGateB, out.lives(), any, any);
  const int begins =
      nothing_survives(rule) ? 0 : out.gate(kGateA & ~kGateB, 0, out.lives(), out.lives());
  out.becomes(alive);
  const auto begun = [&](int bit) { return first >> (bit - 1) & 1 ? kGateC : 0; };
  out.becomes(out.gate((~kGateA & kGateB) | begun(1), 1, any, begins));
  int carry = 1;
  for (int bit = 2; bit <= bits; bit++) {
    out.becomes(out.gate((kGateA ^ kGateB) | begun(bit), bit, carry, begins));
    if (bit < bits) carry = out.gate(kGateA & kGateB, bit, carry, carry);
  }
  for (unsigned i = 0; i < dying; i++) out.code((first + i) << 1);
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
  const auto ages = find_register(static_cast<std::size_t>(rule.states() - 2));
  return ages ? shifted_ages(rule, lives, *ages) : counted_ages(rule, lives);
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
