#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tessera {

/// A Boolean function of a cell and its eight neighbours. A pattern of the nine is a number whose
/// bits are, from bit 8 down to bit 0, NW N NE W C E SW S SE, as in the rules that Golly spells
/// MAP.
struct NeighbourhoodTable {
  std::array<std::uint64_t, 8> words{};  ///< pattern p is bit p % 64 of word p / 64

  bool operator==(const NeighbourhoodTable&) const = default;
  constexpr bool at(int pattern) const {
    return words[static_cast<std::size_t>(pattern) / 64] >> pattern % 64 & 1;
  }
  constexpr void set(int pattern) {
    words[static_cast<std::size_t>(pattern) / 64] |= std::uint64_t{1} << pattern % 64;
  }
};

inline constexpr int kPatterns = 512;
/// The bit of a pattern that is the cell itself.
inline constexpr int kCentreBit = 4;

/// Whether the cell itself is alive in a pattern, and how many of the eight others are.
constexpr bool centre_lives(int pattern) { return pattern >> kCentreBit & 1; }
constexpr int neighbours_in(int pattern) {
  return std::popcount(static_cast<unsigned>(pattern)) - centre_lives(pattern);
}

}  // namespace tessera
