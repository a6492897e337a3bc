// A tile's window in the registers of a warp: lane l holds rows 2l and 2l + 1 of each bit plane.
#ifndef TESSERA_TILE_WINDOW_CUH
#define TESSERA_TILE_WINDOW_CUH

#include "kernel_params.h"
#include "row_codes.cuh"

using namespace tessera::cuda;

namespace {

constexpr u32 kAll = 0xFFFFFFFFu, kWays = 8, kPairs = 24, kPlanes = TESSERA_PLANES;
// Of a tile's row: the columns that its left and its right neighbours see, and all of its own.
constexpr u32 kLeftLow = 0x0000FF00u, kRightHigh = 0x00FF0000u;
constexpr u32 kOwnLow = 0xFFFFFF00u, kOwnHigh = 0x00FFFFFFu;
constexpr u32 kFirstOwn = 4, kEndOwn = 28;  // lanes with rows of the tile itself
constexpr u32 kTopLanes = 0x000000F0u, kBottomLanes = 0x0F000000u;  // with those that others see

__device__ __forceinline__ u32 lane_of() { return threadIdx.x & 31; }
__device__ __forceinline__ u32 warp_index() {
  return blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
}
__device__ __forceinline__ u32 warp_count() { return gridDim.x * (blockDim.x >> 5); }
__device__ __forceinline__ u32 low(u64 word) { return (u32)word; }
__device__ __forceinline__ u32 high(u64 word) { return (u32)(word >> 32); }

__device__ __forceinline__ ulonglong2* state_of(const TileRing& ring, u32 tile, u32 slot) {
  return (ulonglong2*)(ring.cells + ((u64)tile * ring.places + slot) * (2 * kPairs * kPlanes));
}

// The worklist of a step.
__device__ __forceinline__ u32* list_of(const TileRing& ring, u32 step) {
  return step & 1 ? ring.lists[1] : ring.lists[0];
}

// A lane's two rows of a window, as low and high words, by plane.
struct Rows {
  u32 w[kPlanes][2][2];
};

// The window of a tile; lane d < 8 gives its neighbour in way d.
__device__ __forceinline__ Rows load_window(const TileRing& ring, u32 tile, u32 neighbour,
                                            u32 slot) {
  const u32 lane = lane_of();
  const bool above = lane < kFirstOwn, own = !above && lane < kEndOwn;
  const u32 west = __shfl_sync(kAll, neighbour, above ? 0 : own ? 3 : 5);
  const u32 outer = __shfl_sync(kAll, neighbour, above ? 1 : 6);
  const u32 east = __shfl_sync(kAll, neighbour, above ? 2 : own ? 4 : 7);
  const u32 pair = above ? lane + kPairs - kFirstOwn : own ? lane - kFirstOwn : lane - kEndOwn;
  const ulonglong2* const centre_at = state_of(ring, own ? tile : outer, slot);
  const ulonglong2* const west_at = state_of(ring, west, slot);
  const ulonglong2* const east_at = state_of(ring, east, slot);
  Rows rows;
#pragma unroll
  for (u32 p = 0; p < kPlanes; p++) {
    const ulonglong2 c = centre_at[p * kPairs + pair];
    const ulonglong2 l = west_at[p * kPairs + pair], r = east_at[p * kPairs + pair];
    const u64 a = c.x | l.x >> 48 | r.x << 48, b = c.y | l.y >> 48 | r.y << 48;
    rows.w[p][0][0] = low(a), rows.w[p][0][1] = high(a);
    rows.w[p][1][0] = low(b), rows.w[p][1][1] = high(b);
  }
  return rows;
}

// What lives becomes the planes of word h of row i.
__device__ __forceinline__ void put_word(Rows& rows, int i, int h, u32 lives) {
#if TESSERA_PLANES == 1
  rows.w[0][i][h] = lives;
#else
  u32 own[kPlanes], next[kPlanes];
#pragma unroll
  for (u32 p = 0; p < kPlanes; p++) own[p] = rows.w[p][i][h];
  tessera_states(own, lives, next);
#pragma unroll
  for (u32 p = 0; p < kPlanes; p++) rows.w[p][i][h] = next[p];
#endif
}

// The next generation, of turn kTurn; what lies beyond the window counts as anything.
template <int kTurn = 0>
__device__ __forceinline__ void generation(Rows& rows) {
  RowCodes codes[4][2];  // of the row above, the own two, and the row below
#pragma unroll
  for (int i = 0; i < 2; i++) {
    const u32 lo = rows.w[0][i][0], hi = rows.w[0][i][1];
    codes[i + 1][0] = codes_of(lo << 1, lo, lo >> 1 | hi << 31);
    codes[i + 1][1] = codes_of(hi << 1 | lo >> 31, hi, hi >> 1);
  }
#pragma unroll
  for (int h = 0; h < 2; h++) {
    codes[0][h] = codes_above<kTurn>(codes[2][h]);
    codes[3][h] = codes_below<kTurn>(codes[1][h]);
  }
#pragma unroll
  for (int i = 0; i < 2; i++) {
#pragma unroll
    for (int h = 0; h < 2; h++) {
      const u32 word = rows.w[0][i][h];
      put_word(rows, i, h, next_of<kTurn>(codes[i][h], codes[i + 1][h], word, codes[i + 2][h]));
    }
  }
}

// The cells of a window's row that lie in a frame.
__device__ __forceinline__ u64 framed(u32 frame, u32 row) {
  const u32 left = frame & 255, right = frame >> 8 & 255, top = frame >> 16 & 255,
            bottom = frame >> 24;
  if (row < top || row >= bottom) return 0;
  const u64 until = right >= 64 ? ~(u64)0 : ((u64)1 << right) - 1;
  return until & ~(u64)0 << left;
}

// The next generation, whose turn it is.
__device__ __forceinline__ void next_generation(Rows& rows, u32 odd) {
#if TESSERA_TURNS == 2
  if (odd % 2 != 0) {
    generation<1>(rows);
    return;
  }
#endif
  generation(rows);
}

// `odd`: 1 where the first generation is an odd one.
__device__ __forceinline__ void step_window(const TileRing& ring, Rows& rows, u32 frame,
                                            u32 generations, u32 odd) {
  if (frame == 0) {
    for (u32 g = 0; g < generations; g++) next_generation(rows, odd + g);
    return;
  }
  const u32 cells = ring.frames[frame];
  const u64 first = framed(cells, 2 * lane_of()), second = framed(cells, 2 * lane_of() + 1);
  for (u32 g = 0; g < generations; g++) {
    next_generation(rows, odd + g);
#pragma unroll
    for (u32 p = 0; p < kPlanes; p++) {
      rows.w[p][0][0] &= low(first), rows.w[p][0][1] &= high(first);
      rows.w[p][1][0] &= low(second), rows.w[p][1][1] &= high(second);
    }
  }
}

// The tile's own columns of a lane's rows in a plane.
__device__ __forceinline__ ulonglong2 own_pair(const Rows& rows, u32 p) {
  ulonglong2 pair;
  pair.x = (u64)(rows.w[p][0][1] & kOwnHigh) << 32 | (rows.w[p][0][0] & kOwnLow);
  pair.y = (u64)(rows.w[p][1][1] & kOwnHigh) << 32 | (rows.w[p][1][0] & kOwnLow);
  return pair;
}

}  // namespace

#endif
