// A block of 32x32 or 64x64 cells in the registers of a warp, T generations per launch, rows
// exchanged by shuffles; SINGLE-WORD or (TESSERA_PAIR) DOUBLE-WORD. Fujita, Nishikori, Nakano, Ito
// (2015), section V-C; their best on the TITAN X is 64x64, DOUBLE-WORD, T = 8. Cost: 34 or 29.5
// operations per word on d*d cells, of which (d - 2T)^2 are useful.
#include "block.cuh"

using namespace tessera::cuda;

namespace {

__device__ __forceinline__ Word above(Word word) { return __shfl_up_sync(~0u, word, 1); }
__device__ __forceinline__ Word below(Word word) { return __shfl_down_sync(~0u, word, 1); }

}  // namespace

extern "C" __global__ void __launch_bounds__(TESSERA_THREADS)
    step(const Grid grid, const Word* from, Word* to, int generations, const Part part) {
  const int lane = (int)threadIdx.x % 32;
  const i64 warps = (i64)gridDim.x * (TESSERA_THREADS / 32);
  for (i64 n = part.first + (i64)blockIdx.x * (TESSERA_THREADS / 32) + threadIdx.x / 32;
       n < part.end; n += warps) {
    const Block block = block_at(grid, n);
    Word rows[kWordsALane], masks[kWordsALane];  // neighbouring rows in a lane
#pragma unroll
    for (int k = 0; k < kWordsALane; k++) {
      rows[k] = load_row(grid, from, block, lane * kWordsALane + k);
      masks[k] = inside(grid, block, lane * kWordsALane + k);
    }
    for (int t = 0; t < generations; t++) {
      const Triple a = lone(above(rows[kWordsALane - 1])), d = lone(below(rows[0]));
      if constexpr (kWordsALane == 1) {
        rows[0] = next_single(a, lone(rows[0]), d) & masks[0];
      } else {
        const Triple b = lone(rows[0]), c = lone(rows[1]);
        if constexpr (TESSERA_PAIR) {
          next_double(a, b, c, d, rows[0], rows[1]);
        } else {
          rows[0] = next_single(a, b, c);
          rows[1] = next_single(b, c, d);
        }
        rows[0] &= masks[0];
        rows[1] &= masks[1];
      }
    }
#pragma unroll
    for (int k = 0; k < kWordsALane; k++)
      store_row(grid, to, block, lane * kWordsALane + k, rows[k]);
  }
}
