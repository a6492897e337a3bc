#include "backends/cpu/bit_transpose.h"

#include <algorithm>

namespace tessera {

namespace {

// Swaps the upper right and the lower left of all squares of 2 `step` bits: loops that vectorise.
template <int step>
void swap_corners(BitBlock& block, std::uint64_t mask) {
  for (int first = 0; first < 64; first += 2 * step) {
    for (int k = first; k < first + step; k++) {
      const std::uint64_t swap = (block[k] >> step ^ block[k + step]) & mask;
      block[k] ^= swap << step;
      block[k + step] ^= swap;
    }
  }
}

}  // namespace

void transpose(BitBlock& block) {
  swap_corners<32>(block, 0x00000000FFFFFFFFu);
  swap_corners<16>(block, 0x0000FFFF0000FFFFu);
  swap_corners<8>(block, 0x00FF00FF00FF00FFu);
  swap_corners<4>(block, 0x0F0F0F0F0F0F0F0Fu);
  swap_corners<2>(block, 0x3333333333333333u);
  swap_corners<1>(block, 0x5555555555555555u);
}

BitGrid transposed(const BitGrid& grid) {
  BitGrid out(grid.height(), grid.width());
  for (std::int64_t y = 0; y < grid.height(); y += 64) {
    const std::int64_t rows = std::min<std::int64_t>(64, grid.height() - y);
    for (std::int64_t x = 0; x < grid.width(); x += 64) {
      const std::int64_t columns = std::min<std::int64_t>(64, grid.width() - x);
      BitBlock block{};
      for (std::int64_t r = 0; r < rows; r++) block[r] = grid.row(y + r)[x / 64];
      transpose(block);
      for (std::int64_t c = 0; c < columns; c++) out.row(x + c)[y / 64] = block[c];
    }
  }
  return out;
}

}  // namespace tessera
