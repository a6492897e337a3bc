// One byte per cell; a block of 32x32 threads first loads 34x34 cells into shared memory. From the
// course report "Game of Life en CUDA" (2026), version 3. Cost: 1.13 reads of global memory and
// nine of shared memory per cell.
#include "cell_rule.cuh"
#include "packed_margins.cuh"

using namespace tessera::cuda;

extern "C" __global__ void __launch_bounds__(1024)
    step(const Grid grid, const u8* from, u8* to, const Part part) {
  __shared__ u8 tile[34][34];
  const i64 tiles_across = (grid.width + 31) / 32;
  const int tx = (int)threadIdx.x % 32, ty = (int)threadIdx.x / 32;
  for (i64 t = part.first + blockIdx.x; t < part.end; t += gridDim.x) {
    const i64 y0 = t / tiles_across * 32, x0 = t % tiles_across * 32;
    for (int i = (int)threadIdx.x; i < 34 * 34; i += 1024) {
      const i64 x = x0 + i % 34 - 1, y = y0 + i / 34 - 1;
      tile[i / 34][i % 34] = x <= grid.width && y <= grid.height ? from[packed_at(grid, x, y)] : 0;
    }
    __syncthreads();
    if (x0 + tx < grid.width && y0 + ty < grid.height) {
      u32 sum = 0;
      for (int dy = 0; dy < 3; dy++)
        sum += tile[ty + dy][tx] + tile[ty + dy][tx + 1] + tile[ty + dy][tx + 2];
      const u32 alive = tile[ty + 1][tx + 1];
      to[packed_at(grid, x0 + tx, y0 + ty)] = (u8)next_cell(alive, sum - alive);
    }
    __syncthreads();
  }
}
