// A batch of universes that fit the registers of a warp or a block: no halos, no memory, as many
// generations a launch as are asked for.
//
// A word has cells of several universes (BatchGrid): a row of a universe of 64 columns is eight
// words of eight strips, in each word next to those of three others. Neighbours of word j are words
// j - 1 and j + 1; at the ends of a row they are the words of the other end moved by one strip, a
// rotation of the word on a torus and a shift on a plane. A lane has R rows. The rows above and
// below them are another lane's, and come by shuffles, column by column before they are stepped.
// Where a universe takes several warps, those of a block, the rows between two warps go through
// shared memory, with one barrier a generation.
#include "kernel_params.h"
#include "ptx.cuh"
#include "row_codes.cuh"

using namespace tessera::cuda;

namespace {

constexpr int W = TESSERA_W, R = TESSERA_R, L = TESSERA_LANES;
constexpr int kWarps = TESSERA_WARPS;  // of a universe
constexpr int kBlockWarps = TESSERA_BLOCK_WARPS;
constexpr u32 U = TESSERA_PER_WORD;
static_assert(kWarps == 1 || (L == 32 && kBlockWarps == kWarps), "a block is a set of universes");

// The last word of a row as the left neighbour of the first, and the other way round.
__device__ __forceinline__ u32 from_west(u32 word) {
#if TESSERA_TORUS
  return U == 32 ? word : __funnelshift_l(word, word, U % 32);
#else
  return U == 32 ? 0 : word << U % 32;
#endif
}
__device__ __forceinline__ u32 from_east(u32 word) {
#if TESSERA_TORUS
  return U == 32 ? word : __funnelshift_r(word, word, U % 32);
#else
  return U == 32 ? 0 : word >> U % 32;
#endif
}

// Where the rows above and below a lane's own are.
struct Place {
  u32 lane, above, below;  // lanes of this warp
  bool first, last;        // of its universe's lanes
  const u32* edge;         // of the first and last lane of a warp: a row of the next warp
};

// Words of column j of these rows.
struct Outer {
  u32 up, down;
};

template <class Rows>
__device__ __forceinline__ Outer outer(const Rows& s, int j, const Place& place) {
#if TESSERA_WARPS > 1
  Outer out{__shfl_up_sync(~0u, s[R - 1][j], 1), __shfl_down_sync(~0u, s[0][j], 1)};
  const u32 edge = place.edge[j];
  if (place.lane == 0) out.up = edge;
  if (place.lane == 31) out.down = edge;
#else
  Outer out{__shfl_sync(~0u, s[R - 1][j], place.above), __shfl_sync(~0u, s[0][j], place.below)};
#endif
#if !TESSERA_TORUS
  if (place.first) out.up = 0;
  if (place.last) out.down = 0;
#endif
  return out;
}

// One generation in place, a column after the other.
__device__ __forceinline__ void step_rows(u32 (&s)[R][W], const Place& place) {
  u32 left[R], seam[R];  // the old word to the left; the old word 0 as the last one's right side
#pragma unroll
  for (int r = 0; r < R; r++) left[r] = from_west(s[r][W - 1]), seam[r] = from_east(s[r][0]);
  const Outer final = outer(s, W - 1, place), begin = outer(s, 0, place);
  Outer west{from_west(final.up), from_west(final.down)}, here = begin;
#pragma unroll
  for (int j = 0; j < W; j++) {
    const Outer east = j == W - 1 ? Outer{from_east(begin.up), from_east(begin.down)}
                                  : outer(s, (j + 1) % W, place);
    RowCodes a = codes_of(west.up, here.up, east.up);
    RowCodes b = codes_of(left[0], s[0][j], j == W - 1 ? seam[0] : s[0][(j + 1) % W]);
#pragma unroll
    for (int r = 0; r < R; r++) {
      const RowCodes c =
          r == R - 1 ? codes_of(west.down, here.down, east.down)
                     : codes_of(left[(r + 1) % R], s[(r + 1) % R][j],
                                j == W - 1 ? seam[(r + 1) % R] : s[(r + 1) % R][(j + 1) % W]);
      const u32 centre = s[r][j];
      s[r][j] = next_of(a, b, centre, c);
      left[r] = centre;
      a = b, b = c;
    }
    west = here, here = east;
  }
}

// Where the lane's words are. Computed anew before they are stored: a place that is kept all the
// while takes two registers.
__device__ __forceinline__ u32* words_of(u32* cells) {
  u32 block = blockIdx.x;
  forget(block);
  const i64 tile = (i64)block * kBlockWarps + threadIdx.x / 32;
  return cells + tile * (R * W * 32) + (threadIdx.x & 31);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(32 * TESSERA_BLOCK_WARPS, TESSERA_BLOCKS)
    step(const BatchGrid grid, u32* cells, u32 generations) {
  const u32 warp = threadIdx.x / 32;
  if ((i64)blockIdx.x * kBlockWarps + warp >= grid.tiles) return;
  Place place{};
  place.lane = threadIdx.x & 31;
  const u32 set = place.lane / L, in_set = place.lane - set * L;
  // Lanes that are left over read each other, which nobody sees.
  place.above = min(set * L + (in_set == 0 ? L - 1 : in_set - 1), 31u);
  place.below = min(set * L + (in_set == L - 1 ? 0 : in_set + 1), 31u);
  place.first = in_set == 0 && (kWarps == 1 || warp == 0);
  place.last = in_set == L - 1 && (kWarps == 1 || warp == kWarps - 1);
  u32 s[R][W];
  u32* own = words_of(cells);
#pragma unroll
  for (int n = 0; n < R * W; n++) s[n / W][n % W] = own[n * 32];
#if TESSERA_WARPS > 1
  __shared__ u32 edges[2][kWarps][2][W];
  const u32 next = place.lane == 0 ? (warp + kWarps - 1) % kWarps : (warp + 1) % kWarps;
#endif
#pragma unroll 1
  for (u32 g = 0; g < generations; g++) {
#if TESSERA_WARPS > 1
    // The next generation's rows go to the other half, so that one barrier is enough.
    if (place.lane == 0) {
#pragma unroll
      for (int j = 0; j < W; j++) edges[g & 1][warp][0][j] = s[0][j];
    }
    if (place.lane == 31) {
#pragma unroll
      for (int j = 0; j < W; j++) edges[g & 1][warp][1][j] = s[R - 1][j];
    }
    __syncthreads();
    place.edge = edges[g & 1][next][place.lane == 0 ? 1 : 0];
#endif
    step_rows(s, place);
  }
  own = words_of(cells);
#pragma unroll
  for (int n = 0; n < R * W; n++) own[n * 32] = s[n / W][n % W];
}
