// The tiles of strips.cu: their shape, which one a warp has, and where it lies.
#ifndef TESSERA_STRIP_TILE_CUH
#define TESSERA_STRIP_TILE_CUH

#include "kernel_params.h"
#include "row_codes.cuh"

using namespace tessera::cuda;

namespace {

constexpr int W = TESSERA_W, R = TESSERA_R, T = TESSERA_T;
#define P TESSERA_PLANES  // a constant would be a symbol of the kernel

// What follows, for every plane. One needs no loop, whose traces would change what the compiler
// makes of it.
#if P == 1
#define TESSERA_EACH_PLANE(p) if (constexpr int p = 0; true)
#else
#define TESSERA_EACH_PLANE(p) _Pragma("unroll") for (int p = 0; p < P; p++)
#endif

// Where the words of plane p begin, behind those of the first. An addition of 0 would leave traces,
// too.
#if P == 1
#define TESSERA_PLANE_OF(words, grid, p) (words)
#else
#define TESSERA_PLANE_OF(words, grid, p) ((words) + (p) * (grid).units * W * (grid).stride)
#endif

constexpr int M = (T + W - 1) / W, B = 32 - 2 * M;  // bits of halo on either side, cells per word
constexpr int kWarps = TESSERA_WARPS;
constexpr int V = R % 4 == 0 && T % 4 == 0   ? 4
                  : R % 2 == 0 && T % 2 == 0 ? 2
                                             : 1;  // rows per vector access
static_assert(M <= 8 && 32 * R > 2 * T, "something must be left between the halos");
constexpr u32 kLow = (1u << M) - 1, kInner = ~0u >> M & ~kLow;
// A tile of so many words leaves few registers.
constexpr bool kLarge = R * W * P > 48, kSmall = R * W * P <= 16;
// Blocks that should fit a multiprocessor. Except for compute capability 9.0, the compiler needs a
// few more registers than the largest tile's share.
#if __CUDA_ARCH__ != 900
constexpr int kBlocks = kLarge ? (TESSERA_BLOCKS * 2 + 2) / 3 : TESSERA_BLOCKS;
#else
constexpr int kBlocks = TESSERA_BLOCKS;
#endif

struct Tile {
  int macro, row;
  int y;        // first row that this lane holds
  int above;    // rows from the first that the tile owns down to y; negative in the halo
  bool shared;  // by macro-columns: everything here except `row` differs by lane
};
constexpr int kBeyond = 32 * R;  // `above` of a lane that owns nothing

// The first row of the grid that a tile owns, and the row behind the last of a pass. Not a sum with
// a 0 in place of `first`: that makes the compiler spill registers of the largest tile.
__device__ __forceinline__ int top_of(const Tile& tile, const StripRun& run) {
  const int top = tile.row * (int)run.tile_height;
  return TESSERA_BAND ? (int)run.first + top : top;
}
__device__ __forceinline__ int end_of(const Grid& grid, const StripRun& run) {
  return TESSERA_BAND ? (int)run.end : (int)grid.height;
}

__device__ __forceinline__ u32 tile_index() { return blockIdx.x * kWarps + threadIdx.x / 32; }

// Shared tiles come first, then those at the left and right edge: they take longer, and neither the
// other tiles of a block nor the end of a launch should wait for them.
__device__ __forceinline__ Tile tile_of(const Grid& grid, const StripRun& run) {
  u32 index = tile_index();
  forget(index);
  const u32 macros = (u32)grid.units, sides = min(macros, 3u), inner = macros - sides,
            rows = run.tile_rows;
  Tile tile;
  tile.shared = TESSERA_SHARED && index < run.shared_tiles;
  if (tile.shared) {
    const u32 lane = threadIdx.x & 31, part = lane / run.shared_lanes,
              macro = index * run.shared_by + part;
    const bool idle = part >= run.shared_by || macro >= macros;
    tile.macro = (int)(idle ? macros - 1 : macro);
    tile.row = (int)rows;
    tile.above = idle ? kBeyond : (int)(lane - part * run.shared_lanes) * R - T;
  } else {
    if (TESSERA_SHARED) index -= run.shared_tiles;
    if (index < sides * rows) {
      const u32 which = index / rows;
      tile.row = (int)(index - which * rows);
      tile.macro = which == 0 ? 0 : (int)(macros - which);
    } else {
      const u32 left = index - sides * rows;
      tile.row = inner == 0 ? (int)rows : (int)(left / inner);
      tile.macro = inner == 0 ? 0 : (int)(1 + left - tile.row * inner);
    }
    tile.above = (int)(threadIdx.x & 31) * R - T;
    if (TESSERA_BAND && tile.row < (int)rows) {
      tile.row += (int)run.turn;
      if (tile.row >= (int)rows) tile.row -= (int)rows;
    }
  }
  tile.y = top_of(tile, run) + tile.above;
  return tile;
}

// Has nothing to do: there are more warps than tiles.
__device__ __forceinline__ bool is_surplus(const Tile& tile, const StripRun& run) {
  return !tile.shared && tile.row >= (int)run.tile_rows;
}

// Of a band: stores rows for the neighbour above (0) or below (1), or reads rows of it.
__device__ __forceinline__ bool is_edge(const Tile& tile, const StripRun& run, int side) {
  return tile.shared || (side == 0 ? tile.row < (int)run.edge_above
                                   : tile.row + (int)run.edge_below >= (int)run.tile_rows);
}

// Touches the left or right edge of the grid, or is loaded as if it did.
__device__ __forceinline__ bool at_side(const Tile& tile, const Grid& grid) {
  return tile.shared || tile.macro == 0 || tile.macro >= (int)grid.units - 2;
}

// Touches the upper or lower edge of the grid, or owns rows of which there are copies in a margin.
__device__ __forceinline__ bool at_end(const Tile& tile, const Grid& grid, const StripRun& run) {
  const int top = top_of(tile, run);
  return tile.shared || top < T || top + 32 * R - (TESSERA_BAND ? T : 0) > (int)grid.height;
}

// The cells of a row of the last macro-column in word j, as bits of the word.
__device__ __forceinline__ u32 count_of_last(const StripRun& run, int j) {
  return run.last_count + (j < (int)run.last_word ? 1 : 0);
}
__device__ __forceinline__ u32 cells_of_last(const StripRun& run, int j) {
  return ((1u << count_of_last(run, j)) - 1) << M;
}

}  // namespace

#endif
