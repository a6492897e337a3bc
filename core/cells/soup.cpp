#include "core/cells/soup.h"

#include <bit>
#include <cmath>
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

}  // namespace tessera
