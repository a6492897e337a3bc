// Rows that tiles of strips.cu at the edges of a band store for its neighbours and await from them.
#ifndef TESSERA_STRIP_EDGES_CUH
#define TESSERA_STRIP_EDGES_CUH

#include "strip_rows.cuh"

using namespace tessera::cuda;

namespace {

#if TESSERA_BAND
// Tells the neighbours which buffer this launch fills: by their next, nobody here looks at the rows
// of it that they will store.
__device__ __forceinline__ void offer_room(const StripEdges& edges) {
  if (!edges.leaves || blockIdx.x != 0 || threadIdx.x != 0) return;
#pragma unroll
  for (int side = 0; side < 2; side++) {
    const StripSide& s = edges.sides[side];
    if (s.there[0])
      store_release(s.room_there + edges.leaving % 2, 2 * edges.leaving + edges.buffer);
  }
}

__device__ __forceinline__ void await_arrivals(const Tile& tile, const StripRun& run,
                                               const StripEdges& edges) {
  if (!edges.arrives) return;
#pragma unroll
  for (int side = 0; side < 2; side++) {
    const StripSide& s = edges.sides[side];
    if (s.there[0])
      await(s.arrived, edges.arriving, is_edge(tile, run, side) && !is_surplus(tile, run));
  }
}

// Stores the rows that leave on one side where the neighbour looks for them.
__device__ __forceinline__ void send_rows(const u32 (&s)[R][W], const Tile& tile, const Grid& grid,
                                          const StripRun& run, const StripSide& side, u32* buffer) {
  u32* out = buffer + tile.macro * ((i64)W * side.there_stride) + (i64)tile.y + side.there_row;
  const bool whole = ((u64)out & (4 * V - 1)) == 0, last = tile.macro == (int)grid.units - 1;
  // Rows of this lane.
  const int first = max(-tile.above, (int)side.first - tile.y),
            end = min(min((int)run.tile_height - tile.above, end_of(grid, run) - tile.y),
                      (int)side.end - tile.y);
#pragma unroll
  for (int j = 0; j < W; j++, out += side.there_stride) {
    const u32 cells = last ? cells_of_last(run, j) : kInner;
#pragma unroll
    for (int r = 0; r < R; r += V) {
      Vector v;
#pragma unroll
      for (int i = 0; i < V; i++) v.row[i] = s[r + i][j] & cells;
      if (V > 1 && whole && first <= r && r + V <= end) {
        store(out + r, v);
      } else {
#pragma unroll
        for (int i = 0; i < V; i++)
          if (first <= r + i && r + i < end) out[r + i] = v.row[i];
      }
    }
  }
}

// The last tile to store tells the neighbour.
__device__ __forceinline__ void leave(const u32 (&s)[R][W], const Grid& grid, const StripRun& run,
                                      const StripEdges& edges) {
  if (!edges.leaves) return;
  const Tile tile = tile_of(grid, run);
#pragma unroll 1
  for (int n = 0; n < 2; n++) {
    const StripSide& side = edges.sides[n];
    if (!side.there[0] || !is_edge(tile, run, n)) continue;
    const u32* const room = side.room + edges.leaving % 2;
    await(room, 2 * edges.leaving, true);
    send_rows(s, tile, grid, run, side, side.there[load_acquire(room) & 1]);
    __threadfence_system();
    __syncwarp();
    if ((threadIdx.x & 31) == 0 && atomicAdd(side.stored, 1u) + 1 == side.all_stored)
      store_release(side.arrived_there, edges.leaving);
  }
}
#endif

}  // namespace

#endif
