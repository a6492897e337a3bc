#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tessera {

/// The tables of a gate's three inputs themselves.
inline constexpr int kGateA = 0xF0, kGateB = 0xCC, kGateC = 0xAA;

// Truth tables of gates: the value for a, b, c is bit 4a + 2b + c (ProgramGate::table).

/// The table over other inputs: `from(i)` is the old index of the new index i.
template <class From>
constexpr std::uint8_t moved_table(std::uint8_t table, const From& from) {
  std::uint8_t out = 0;
  for (int i = 0; i < 8; i++) {
    if (table >> from(i) & 1) out = static_cast<std::uint8_t>(out | 1 << i);
  }
  return out;
}

/// The table with input `position` (0 is a) fixed.
constexpr std::uint8_t fixed_input(std::uint8_t table, int position, bool value) {
  const int bit = 4 >> position;
  return moved_table(table, [&](int i) { return value ? i | bit : i & ~bit; });
}

/// The table with the complement of an input.
constexpr std::uint8_t with_negated(std::uint8_t table, int position) {
  return moved_table(table, [&](int i) { return i ^ 4 >> position; });
}

/// The table where input `second` has the value of input `first`.
constexpr std::uint8_t with_equal(std::uint8_t table, int first, int second) {
  const int bit = 4 >> second;
  return moved_table(table, [&](int i) { return i & 4 >> first ? i | bit : i & ~bit; });
}

/// The table whose input k is what input order[k] was.
constexpr std::uint8_t with_order(std::uint8_t table, const std::array<int, 3>& order) {
  return moved_table(table, [&](int i) {
    int from = 0;
    for (int k = 0; k < 3; k++) {
      if (i & 4 >> k) from |= 4 >> order[static_cast<std::size_t>(k)];
    }
    return from;
  });
}

/// Whether the function depends on an input.
constexpr bool reads(std::uint8_t table, int position) {
  return fixed_input(table, position, false) != fixed_input(table, position, true);
}

}  // namespace tessera
