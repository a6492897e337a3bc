// 4x4 cells in 16 bits, one patch per thread: the 6x6 cells around go into one 64-bit word, from
// which four windows of 4x4 index the table of `lut`. From the course report "Game of Life en CUDA"
// (2026), final version. Cost: nine reads, most from the cache, four of the table and one write for
// 16 cells.
#include "cell_rule.cuh"
#include "layout_patches.cuh"
#include "walk.cuh"

using namespace tessera::cuda;

namespace {

__device__ u32 cell(const Grid& grid, const u16* patches, i64 x, i64 y) {
  return patches[patch_at(grid, x / 4, y / 4)] >> (int)(4 * (y % 4) + x % 4) & 1u;
}

__device__ __forceinline__ u32 window(u64 patch, int row, int column) {
  u32 at = 0;
#pragma unroll
  for (int r = 0; r < 4; r++) at |= ((u32)(patch >> (6 * (row + r) + column)) & 15u) << (4 * r);
  return at;
}

}  // namespace

// The ring of patches around the grid, and the bits beyond the cells in the last column and row of
// patches.
extern "C" __global__ void fill_margins(const Grid grid, u16* patches) {
  const i64 rows = (grid.height + 3) / 4, across = grid.units + 4, down = rows + 4;
  // Columns -1, units-1, units of every row of patches, and the same of rows; corners twice, with
  // the same result.
  for (i64 n = (i64)blockIdx.x * blockDim.x + threadIdx.x; n < 3 * (across + down);
       n += (i64)gridDim.x * blockDim.x) {
    const bool column = n < 3 * down;
    const i64 m = column ? n : n - 3 * down, which = m % 3, along = m / 3 - 1;
    i64 i = which == 0 ? -1 : grid.units - 2 + which, p = along;
    if (!column) {
      i = along;
      p = which == 0 ? -1 : rows - 2 + which;
    }
    if (i > grid.units || p > rows) continue;
    u16* at = patches + patch_at(grid, i, p);
    const u32 own = patch_mask(grid, i, p);
    u32 bits = *at & own;
    for (int k = 0; TESSERA_TORUS && k < 16; k++) {
      if (own >> k & 1u) continue;
      const i64 x = ((4 * i + k % 4) % grid.width + grid.width) % grid.width;
      const i64 y = ((4 * p + k / 4) % grid.height + grid.height) % grid.height;
      bits |= cell(grid, patches, x, y) << k;
    }
    *at = (u16)bits;
  }
}

extern "C" __global__ void __launch_bounds__(TESSERA_THREADS)
    step(const Grid grid, const u16* from, u16* to, const u8* table, const Part part) {
  const i64 s = grid.stride;
  for (Walk walk(part); walk.n < part.end; walk.next(part)) {
    const i64 at = patch_at(grid, walk.unit, walk.line);
    const u32 nw = from[at - s - 1], north = from[at - s], ne = from[at - s + 1], w = from[at - 1],
              c = from[at], e = from[at + 1], sw = from[at + s - 1], south = from[at + s],
              se = from[at + s + 1];
    u64 patch = (u64)((nw >> 15 & 1u) | (north >> 12 & 15u) << 1 | (ne >> 12 & 1u) << 5);
#pragma unroll
    for (int r = 0; r < 4; r++) {
      const u32 row = (w >> (4 * r + 3) & 1u) | (c >> 4 * r & 15u) << 1 | (e >> 4 * r & 1u) << 5;
      patch |= (u64)row << (6 * (r + 1));
    }
    patch |= (u64)((sw >> 3 & 1u) | (south & 15u) << 1 | (se & 1u) << 5) << 30;
    u32 next = 0;
#pragma unroll
    for (int q = 0; q < 4; q++) {
      const u32 four = table[window(patch, q / 2 * 2, q % 2 * 2)];
      next |= ((four & 3u) | (four >> 2) << 4) << (q / 2 * 8 + q % 2 * 2);
    }
    to[at] = (u16)next;
  }
}
