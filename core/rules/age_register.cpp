#include "core/rules/age_register.h"

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "core/base/memo.h"
#include "core/rules/gate_table.h"

namespace tessera {
namespace {

bool output(const ProgramGate& gate, unsigned signals) {
  const unsigned at = (signals >> gate.in[0] & 1) << 2 | (signals >> gate.in[1] & 1) << 1 |
                      (signals >> gate.in[2] & 1);
  return gate.table >> at & 1;
}

// The code that follows `code`; 0 comes behind the last.
unsigned following(const AgeRegister& shape, unsigned code) {
  const unsigned all = (1u << shape.bits) - 1;
  unsigned signals = code | ((code & all >> 1) != 0 ? 1u << shape.bits : 0);
  bool in = false;
  for (std::size_t k = 0; k < shape.feedback.size(); k++) {
    in = output(shape.feedback[k], signals);
    signals |= static_cast<unsigned>(in) << (shape.bits + 1 + static_cast<int>(k));
  }
  return (code << 1 | static_cast<unsigned>(in)) & all;
}

// Whether the register goes through so many codes, which it is given then.
bool runs_through(AgeRegister& shape, std::size_t dying) {
  std::size_t count = 0;
  for (unsigned code = 1; code != 0 && count <= dying; code = following(shape, code)) count++;
  if (count != dying) return false;
  for (unsigned code = 1; code != 0; code = following(shape, code)) shape.codes.push_back(code);
  return true;
}

// Tries every first gate of a feedback that reads signals below `signals`, before the gates in
// `then`. Nothing comes from nothing.
bool search(AgeRegister& shape, std::size_t dying, int signals,
            std::initializer_list<ProgramGate> then) {
  shape.feedback = then;
  shape.feedback.insert(shape.feedback.begin(), ProgramGate{});
  ProgramGate& first = shape.feedback.front();
  for (int c = 0; c < signals; c++) {
    for (int b = 0; b <= c; b++) {
      for (int a = 0; a <= b; a++) {
        first.in = {static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b),
                    static_cast<std::uint16_t>(c)};
        for (int table = 2; table < 256; table += 2) {
          first.table = static_cast<std::uint8_t>(table);
          if (runs_through(shape, dying)) return true;
        }
      }
    }
  }
  return false;
}

// Lengths just below all codes that are those of no function here, by the parity of permutations:
// to find that out anew would take half a second.
bool takes_a_bit_more(std::size_t dying) { return dying == 125 || dying == 253 || dying == 254; }

// With a function of three bits, or of five where none of three does.
AgeRegister found(std::size_t dying) {
  const auto gate = [](int table, int a, int b, int c) -> ProgramGate {
    return {static_cast<std::uint8_t>(table),
            {static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b),
             static_cast<std::uint16_t>(c)}};
  };
  for (int bits = static_cast<int>(std::bit_width(dying)) + (takes_a_bit_more(dying) ? 1 : 0);;
       bits++) {
    AgeRegister shape{bits, {}, {}};
    if (runs_through(shape, dying)) return shape;
    const int any = bits, top = bits - 1, first = bits + 1;
    const auto joined = [&](int with) { return gate((kGateA ^ kGateB) & kGateC, with, top, any); };
    if (search(shape, dying, any + 1, {})) return shape;
    if (search(shape, dying, top, {joined(first)})) return shape;
    for (const int table :
         {kGateA ^ (kGateB & kGateC), (kGateA & kGateB) ^ kGateC, kGateA | (kGateB & kGateC)}) {
      for (int e = 1; e < top; e++) {
        for (int d = 0; d < e; d++) {
          if (search(shape, dying, top, {gate(table, first, d, e), joined(first + 1)}))
            return shape;
        }
      }
    }
  }
}

}  // namespace

AgeRegister AgeRegister::of(std::size_t dying) {
  static Memo<std::size_t, AgeRegister> known;
  if (const std::optional<AgeRegister> shape = known.find(dying)) return *shape;
  return known.keep(dying, found(dying));
}

}  // namespace tessera
