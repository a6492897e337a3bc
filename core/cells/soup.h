#pragma once

#include <cstdint>

#include "core/cells/bit_grid.h"
#include "core/cells/cell_grid.h"

namespace tessera {

/// SplitMix64's output function (Steele, Lea, Flood: Fast splittable pseudorandom number
/// generators, OOPSLA 2014, figure 17, with the variant 13 constants of Stafford).
constexpr std::uint64_t mix64(std::uint64_t z) {
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

/// A random grid that any backend, and any part of a grid, can make by itself: word i of a grid
/// depends only on the seed, the density and i.
struct Soup {
  std::uint64_t seed = 1;
  /// Density in 65536ths, 0 .. 65536.
  std::uint32_t density = 32768;
  /// Live cells have states from 1 to this less 1, each as often: 2 makes all of them 1.
  std::uint16_t states = 2;

  /// Rounds a density in 0 .. 1 to 65536ths; throws InputError outside.
  static Soup of(double density, std::uint64_t seed);

  /// The live cells of word `index` = y * words_per_row + x/64, before padding is cleared.
  std::uint64_t word(std::uint64_t index) const;
  /// The state of the live cell of bit `bit` of that word: 1 + (states - 1) h / 2^32, rounded down,
  /// h being the upper half of mix64(seed + 16 * 0xD1342543DE82EF95 + (64 index + bit + 1) *
  /// 0x9E3779B97F4A7C15).
  int state(std::uint64_t index, int bit) const;
};

/// The live cells of a grid whose first word is word `index` of the soup: 0 for a whole one, and
/// for a part of as many columns the index of its first row's first word.
BitGrid make_soup(const Soup& soup, std::int64_t width, std::int64_t height,
                  std::uint64_t index = 0);

/// The same with their states, as cells of so many bit planes. Throws InputError where these do not
/// hold the soup's states.
CellGrid make_soup_cells(const Soup& soup, std::int64_t width, std::int64_t height, int planes,
                         std::uint64_t index = 0);

}  // namespace tessera
