#include "core/cells/soup.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include "core/base/error.h"

namespace tessera {

Soup Soup::of(double density, std::uint64_t seed) {
  if (!(density >= 0 && density <= 1)) {
    throw InputError("soup density " + std::to_string(density) +
                     ": a number from 0 to 1 is accepted");
  }
  return {seed, static_cast<std::uint32_t>(std::lround(density * 65536))};
}

std::uint64_t Soup::word(std::uint64_t index) const {
  if (density == 0) return 0;
  if (density >= 65536) return ~std::uint64_t{0};
  // Bit b of the density chooses between "and", which halves the live cells, and "or", which halves
  // the dead ones.
  std::uint64_t cells = 0;
  for (int bit = std::countr_zero(density); bit < 16; bit++) {
    const std::uint64_t stream = static_cast<std::uint64_t>(15 - bit);
    const std::uint64_t w =
        mix64(seed + stream * 0xD1342543DE82EF95u + (index + 1) * 0x9E3779B97F4A7C15u);
    cells = density >> bit & 1 ? cells | w : cells & w;
  }
  return cells;
}

BitGrid make_soup(const Soup& soup, std::int64_t width, std::int64_t height, std::uint64_t index) {
  BitGrid grid(width, height);
  for (std::uint64_t& word : grid.words()) word = soup.word(index++);
  grid.clear_padding();
  return grid;
}

int Soup::state(std::uint64_t index, int bit) const {
  const std::uint64_t cell = 64 * index + static_cast<std::uint64_t>(bit);
  const std::uint64_t h =
      mix64(seed + 16 * 0xD1342543DE82EF95u + (cell + 1) * 0x9E3779B97F4A7C15u) >> 32;
  return 1 + static_cast<int>((states - 1u) * h >> 32);
}

CellGrid make_soup_cells(const Soup& soup, std::int64_t width, std::int64_t height, int planes,
                         std::uint64_t index) {
  if (soup.states > 1 << planes) {
    throw InputError("a soup of " + std::to_string(soup.states) + " states in cells of " +
                     std::to_string(planes) + " bit planes");
  }
  CellGrid cells(width, height, planes);
  cells.plane(0) = make_soup(soup, width, height, index);
  if (soup.states == 2) return cells;
  const std::span<const std::uint64_t> words = cells.plane(0).words();
  for (std::size_t i = 0; i < words.size(); i++, index++) {
    std::array<std::uint64_t, 8> bits{};
    for (std::uint64_t rest = words[i]; rest != 0; rest &= rest - 1) {
      const int bit = std::countr_zero(rest);
      const auto state = static_cast<std::uint64_t>(soup.state(index, bit));
      for (std::size_t p = 0; p < bits.size(); p++) bits[p] |= (state >> p & 1) << bit;
    }
    for (int p = 0; p < planes; p++) cells.plane(p).words()[i] = bits[static_cast<std::size_t>(p)];
  }
  return cells;
}

}  // namespace tessera
