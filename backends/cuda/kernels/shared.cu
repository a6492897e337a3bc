// As `warp`, but the block's rows are in shared memory: Fujita, Nishikori, Nakano, Ito (2015),
// section V-B. One warp per block, so that no barrier is needed. DOUBLE-WORD reads every second
// row; one word of padding after 16 keeps the 64-bit words of even rows in separate banks (their
// figure 8).
#include "block.cuh"

using namespace tessera::cuda;

namespace {

constexpr int kPad = 16;
// Row r, -1 to kSide, of the block.
__device__ __forceinline__ int slot(int r) { return (r + 1) + (r + 1) / kPad; }

}  // namespace

extern "C" __global__ void __launch_bounds__(32)
    step(const Grid grid, const Word* from, Word* to, int generations, const Part part) {
  __shared__ Word rows[kSide + 2 + (kSide + 2) / kPad + 1];
  const int lane = (int)threadIdx.x;
  for (i64 n = part.first + blockIdx.x; n < part.end; n += gridDim.x) {
    const Block block = block_at(grid, n);
    // The rows of a lane: neighbours for DOUBLE-WORD, 32 apart for SINGLE-WORD.
    int mine[kWordsALane];
    Word masks[kWordsALane];
#pragma unroll
    for (int k = 0; k < kWordsALane; k++) {
      mine[k] = TESSERA_PAIR ? lane * kWordsALane + k : lane + 32 * k;
      masks[k] = inside(grid, block, mine[k]);
      rows[slot(mine[k])] = load_row(grid, from, block, mine[k]);
    }
    if (lane == 0) rows[slot(-1)] = rows[slot(kSide)] = 0;
    __syncwarp();
    for (int t = 0; t < generations; t++) {
      Word next[kWordsALane];
      if constexpr (TESSERA_PAIR && kWordsALane == 2) {
        const int r = mine[0];
        next_double(lone(rows[slot(r - 1)]), lone(rows[slot(r)]), lone(rows[slot(r + 1)]),
                    lone(rows[slot(r + 2)]), next[0], next[1]);
      } else {
#pragma unroll
        for (int k = 0; k < kWordsALane; k++) {
          const int r = mine[k];
          next[k] =
              next_single(lone(rows[slot(r - 1)]), lone(rows[slot(r)]), lone(rows[slot(r + 1)]));
        }
      }
      __syncwarp();
#pragma unroll
      for (int k = 0; k < kWordsALane; k++) rows[slot(mine[k])] = next[k] & masks[k];
      __syncwarp();
    }
#pragma unroll
    for (int k = 0; k < kWordsALane; k++) store_row(grid, to, block, mine[k], rows[slot(mine[k])]);
    __syncwarp();
  }
}
