// One byte per cell, four cells per thread by a table: 4x4 cells make an index of 16 bits, whose
// entry holds the next states of the inner 2x2. From the course report "Game of Life en CUDA"
// (2026), versions 4 (256 threads, 32x32 cells per block) and 5 (1024 threads, 64x64). Cost: 16
// reads of shared memory, one of the table and four writes for four cells.
#include "cell_rule.cuh"
#include "packed_margins.cuh"

using namespace tessera::cuda;

constexpr int kAcross = TESSERA_THREADS == 1024 ? 32 : 16, kSide = 2 * kAcross;

extern "C" __global__ void __launch_bounds__(TESSERA_THREADS)
    step(const Grid grid, const u8* from, u8* to, const u8* table, const Part part) {
  __shared__ u8 tile[kSide + 2][kSide + 2];
  const i64 tiles_across = (grid.width + kSide - 1) / kSide;
  const int tx = (int)threadIdx.x % kAcross, ty = (int)threadIdx.x / kAcross;
  for (i64 t = part.first + blockIdx.x; t < part.end; t += gridDim.x) {
    const i64 y0 = t / tiles_across * kSide, x0 = t % tiles_across * kSide;
    for (int i = (int)threadIdx.x; i < (kSide + 2) * (kSide + 2); i += TESSERA_THREADS) {
      const i64 x = x0 + i % (kSide + 2) - 1, y = y0 + i / (kSide + 2) - 1;
      tile[i / (kSide + 2)][i % (kSide + 2)] =
          x <= grid.width && y <= grid.height ? from[packed_at(grid, x, y)] : 0;
    }
    __syncthreads();
    u32 at = 0;
#pragma unroll
    for (int k = 0; k < 16; k++) at |= (u32)tile[2 * ty + k / 4][2 * tx + k % 4] << k;
    const u32 next = table[at];
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const i64 x = x0 + 2 * tx + k % 2, y = y0 + 2 * ty + k / 2;
      if (x < grid.width && y < grid.height) to[packed_at(grid, x, y)] = (u8)(next >> k & 1u);
    }
    __syncthreads();
  }
}
