#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/rules/neighbourhood_table.h"

namespace tessera {

// A NeighbourhoodTable as a set of patterns: those for which the function is true.

template <class Word>
NeighbourhoodTable each_word(const Word& word) {
  NeighbourhoodTable out;
  for (std::size_t i = 0; i < out.words.size(); i++) out.words[i] = word(i);
  return out;
}

inline NeighbourhoodTable operator&(const NeighbourhoodTable& a, const NeighbourhoodTable& b) {
  return each_word([&](std::size_t i) { return a.words[i] & b.words[i]; });
}

inline NeighbourhoodTable operator|(const NeighbourhoodTable& a, const NeighbourhoodTable& b) {
  return each_word([&](std::size_t i) { return a.words[i] | b.words[i]; });
}

inline NeighbourhoodTable operator^(const NeighbourhoodTable& a, const NeighbourhoodTable& b) {
  return each_word([&](std::size_t i) { return a.words[i] ^ b.words[i]; });
}

inline NeighbourhoodTable operator~(const NeighbourhoodTable& a) {
  return each_word([&](std::size_t i) { return ~a.words[i]; });
}

/// Whether two sets have a pattern in common.
inline bool meet(const NeighbourhoodTable& a, const NeighbourhoodTable& b) {
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < a.words.size(); i++) any |= a.words[i] & b.words[i];
  return any != 0;
}

inline bool empty(const NeighbourhoodTable& a) { return !meet(a, a); }

/// A gate's output: bit 4a + 2b + c of `table`, pattern by pattern. Sums of products without
/// branches (the table's algebraic normal form).
inline NeighbourhoodTable gate_output(std::uint8_t table, const NeighbourhoodTable& a,
                                      const NeighbourhoodTable& b, const NeighbourhoodTable& c) {
  unsigned form = table;  // coefficient of the product of the inputs whose bits are set
  form ^= (form & 0x55) << 1;
  form ^= (form & 0x33) << 2;
  form ^= (form & 0x0F) << 4;
  const auto mask = [form](int i) { return std::uint64_t{0} - (form >> i & 1); };
  const std::uint64_t m0 = mask(0), m1 = mask(1), m2 = mask(2), m3 = mask(3), m4 = mask(4),
                      m5 = mask(5), m6 = mask(6), m7 = mask(7);
  return each_word([&](std::size_t i) {
    const std::uint64_t x = a.words[i], y = b.words[i], z = c.words[i];
    const std::uint64_t low = m0 ^ (z & m1) ^ (y & (m2 ^ (z & m3)));
    return low ^ (x & (m4 ^ (z & m5) ^ (y & (m6 ^ (z & m7)))));
  });
}

/// The table of a gate over `a`, `b` and `c` that is true on `on` and false on `off`, or nothing
/// where no such gate exists. Entries that concern neither are as free() says, asked in order.
template <class Free>
std::optional<std::uint8_t> fitting_gate(const NeighbourhoodTable& a, const NeighbourhoodTable& b,
                                         const NeighbourhoodTable& c, const NeighbourhoodTable& on,
                                         const NeighbourhoodTable& off, Free&& free) {
  std::uint8_t table = 0;
  for (int i = 0; i < 8; i++) {
    const auto side = [i](std::uint64_t word, int bit) { return i & bit ? word : ~word; };
    std::uint64_t ones = 0, zeros = 0;
    for (std::size_t w = 0; w < on.words.size(); w++) {
      const std::uint64_t where = side(a.words[w], 4) & side(b.words[w], 2) & side(c.words[w], 1);
      ones |= where & on.words[w];
      zeros |= where & off.words[w];
    }
    if (ones && zeros) return std::nullopt;
    if (ones || (!zeros && free())) table = static_cast<std::uint8_t>(table | 1 << i);
  }
  return table;
}

}  // namespace tessera
