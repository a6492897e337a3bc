// The surroundings of a grid of packed words, written before every launch: wrapped copies on a
// torus, zeros on a plane. The bits beyond the width in a row's last word are rewritten in place;
// other threads may read that word's cells meanwhile, which do not change.
#ifndef TESSERA_PACKED_MARGINS_CUH
#define TESSERA_PACKED_MARGINS_CUH

#include "layout_packed.cuh"

namespace tessera::cuda {

// TESSERA_CELLS cells of row y from column x on, both wrapped.
__device__ inline Word wrapped_word(const Grid& grid, const Word* cells, i64 x, i64 y) {
  x = (x % grid.width + grid.width) % grid.width;
  y = (y % grid.height + grid.height) % grid.height;
  Word bits = 0;
  for (int filled = 0; filled < kCells;) {
    const i64 i = x / kCells;
    const int shift = (int)(x - i * kCells);
    const int take = (int)min((i64)min(kCells - filled, kCells - shift), grid.width - x);
    const Word word = (Word)(cells[packed_at(grid, i, y)] >> shift);
    const Word mask =
        take == (int)sizeof(Word) * 8 ? (Word) ~(Word)0 : (Word)(((Word)1 << take) - 1);
    bits = (Word)(bits | (Word)((word & mask) << filled));
    filled += take;
    x += take;
    if (x == grid.width) x = 0;
  }
  return bits;
}

}  // namespace tessera::cuda

extern "C" __global__ void fill_margins(const tessera::cuda::Grid grid,
                                        tessera::cuda::Word* cells) {
  using namespace tessera::cuda;
  const i64 across = grid.units + 2 * grid.left, ends = 2 * grid.above * across;
  const i64 partial = grid.units * kCells != grid.width ? 1 : 0, sides = 2 * grid.left + partial;
  for (i64 n = (i64)blockIdx.x * blockDim.x + threadIdx.x; n < ends + grid.height * sides;
       n += (i64)gridDim.x * blockDim.x) {
    i64 i, y;
    if (n < ends) {
      const i64 row = n / across;
      i = n - row * across - grid.left;
      y = row < grid.above ? row - grid.above : grid.height + row - grid.above;
    } else {
      const i64 side = (n - ends) / grid.height;
      y = n - ends - side * grid.height;
      i = side < grid.left ? side - grid.left : grid.units - partial + side - grid.left;
    }
    Word* at = cells + packed_at(grid, i, y);
    if (TESSERA_TORUS) {
      *at = wrapped_word(grid, cells, i * kCells, y);
    } else {
      *at = y >= 0 && y < grid.height && i == grid.units - 1 ? (Word)(*at & packed_mask(grid, i))
                                                             : (Word)0;
    }
  }
}

#endif
