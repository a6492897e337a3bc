#include "backends/cpu/bit_transpose.h"

#include <algorithm>

namespace tessera {

void transpose(BitBlock& block) {
  std::uint64_t mask = 0x00000000FFFFFFFFu;
  for (int step = 32; step != 0; step >>= 1, mask ^= mask << step) {
    for (int k = 0; k < 64; k = ((k | step) + 1) & ~step) {
      const std::uint64_t swap = (block[k] >> step ^ block[k | step]) & mask;
      block[k] ^= swap << step;
      block[k | step] ^= swap;
    }
  }
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
