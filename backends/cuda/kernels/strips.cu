// The default kernel: a warp holds a tile in registers, no shift between horizontal neighbours, T generations a pass.
//
// Layout. A macro-column is 30*W cells wide and W words hold one of its rows: bit b (1..30) of word j is the cell in
// column (b-1)*W + j of the macro-column, so the neighbours of word j are words j-1 and j+1 and only words 0 and W-1
// need a one-bit shift. Bits 0 and 31 are zero in memory; on load they are filled from the strips next door and serve
// as a halo W columns deep, enough for T <= W generations. Words of one column are contiguous in y.
//
// Universes. What lies above and below comes from margin rows that the tiles owning the opposite edge write along with
// their own (a torus) or that stay zero (a plane). At the left and right edge the halo bits are gathered from wherever
// the wrapped columns are; on a plane tiles that touch a border clear what is outside every generation.
//
// Order. A launch is one pass over all tiles, a tile a warp; the warps of a block lie side by side, so that the halo words
// of one are in the cache for the other. Launches overlap as far as they may: the next one's blocks start while the last of
// this one's are busy, and wait for them before they read.
//
// Cost. 8 gates a word for Life, one shift a row of W words for the seam; (32*R - 2*T) of 32*R rows and 30 of 32 columns
// are useful. Multiplications by powers of two stand for shifts, since they run beside the logic pipe.
#include "kernel_params.h"
#include "gates.cuh"

using namespace tessera::cuda;

namespace {

constexpr int W = TESSERA_W, R = TESSERA_R, T = TESSERA_T;
constexpr int kWarps = TESSERA_WARPS;
constexpr int V = R % 4 == 0 ? 4 : R % 2 == 0 ? 2 : 1;  // rows a vector access
static_assert(T <= W && T % V == 0 && R % V == 0 && 32 * R > 2 * T, "halo W columns deep; whole vectors");
constexpr u32 kInner = 0x7FFFFFFEu;
// Blocks that should fit a multiprocessor. For compute capability 7.5 the compiler needs a few registers more than the largest
// tile's share.
#if __CUDA_ARCH__ < 800
constexpr int kBlocks = R * W > 48 && TESSERA_BLOCKS > 1 ? TESSERA_BLOCKS - 1 : TESSERA_BLOCKS;
#else
constexpr int kBlocks = TESSERA_BLOCKS;
#endif

__device__ __forceinline__ u32 multiply_add(u32 a, u32 b, u32 c) {
  u32 d;
  asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
// The old word 0 as the right neighbour of the last word of a row.
__device__ __forceinline__ u32 seam_of(u32 word, const StripRun& run) {
  u32 d;
  asm("mul.hi.u32 %0, %1, %2;" : "=r"(d) : "r"(word), "r"(run.two31));
  return d;
}

struct Vector {
  u32 row[V];
};

// Not through the read-only path: those loads may move ahead of the wait for the launch before.
__device__ __forceinline__ Vector load(const u32* at) {
  Vector v;
  if constexpr (V == 4) {
    const uint4 q = *(const uint4*)at;
    v.row[0] = q.x, v.row[1] = q.y, v.row[2] = q.z, v.row[3] = q.w;
  } else if constexpr (V == 2) {
    const uint2 q = *(const uint2*)at;
    v.row[0] = q.x, v.row[1] = q.y;
  } else {
    v.row[0] = *at;
  }
  return v;
}

__device__ __forceinline__ void store(u32* at, const Vector& v) {
  if constexpr (V == 4) {
    *(uint4*)at = make_uint4(v.row[0], v.row[1], v.row[2], v.row[3]);
  } else if constexpr (V == 2) {
    *(uint2*)at = make_uint2(v.row[0], v.row[1]);
  } else {
    *at = v.row[0];
  }
}

struct Tile {
  int macro, row;
  int y;      // first row that this lane holds
  int above;  // rows from the first that the tile owns down to y; negative in the halo
};

// Made anew for every phase, so that it occupies no registers while generations are computed. The tiles at the left and
// right edge come first: they take longer, and neither the others of a block nor the end of a launch should wait for them.
__device__ __forceinline__ Tile tile_of(const Grid& grid, const StripRun& run) {
  u32 index = blockIdx.x * kWarps + threadIdx.x / 32;
  asm volatile("" : "+r"(index));
  const u32 macros = (u32)grid.units, sides = min(macros, 3u), inner = macros - sides, rows = run.tile_rows;
  Tile tile;
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
  tile.y = tile.row * (int)run.tile_height + tile.above;
  return tile;
}

// Touches the left or right edge of the grid.
__device__ __forceinline__ bool at_side(const Tile& tile, const Grid& grid) {
  return tile.macro == 0 || tile.macro >= (int)grid.units - 2;
}

// Touches the upper or lower edge of the grid, or owns rows of which there are copies in a margin.
__device__ __forceinline__ bool at_end(const Tile& tile, const Grid& grid, const StripRun& run) {
  const int top = tile.row * (int)run.tile_height;
  return top < T || top + 32 * R > (int)grid.height;
}

// The bit of word j that follows its last cell in the last macro-column; its cells there.
__device__ __forceinline__ u32 bit_after_last(const StripRun& run, int j) {
  return run.last_bit + 1 + (j < (int)run.last_word ? 1 : 0);
}
__device__ __forceinline__ u32 cells_of_last(const StripRun& run, int j) { return (1u << bit_after_last(run, j)) - 2; }

// kSide: the halo bits at the left and right edge come from wherever the wrapped columns are. Written without branches, so
// that all loads are on their way before the first is waited for.
template <bool kSide>
__device__ __forceinline__ void load_tile(u32 (&s)[R][W], const Grid& grid, const StripRun& run) {
  const Tile tile = tile_of(grid, run);
  // Lanes below the lower margin need nothing and must not read beyond the column.
  const u32* in = run.from + grid.above + min(tile.y, (int)(grid.stride - grid.above) - R);
  const i64 macro = (i64)W * grid.stride;
  const u32* own = in + tile.macro * macro;
  const bool first = tile.macro == 0, final = tile.macro == (int)grid.units - 1, before = tile.macro == (int)grid.units - 2;
  const u32* far_west = first ? in + run.west_macro * macro : own - macro;
  const int west_word = first ? (int)run.west_word : 0;
  const u32 west_first = first ? run.west_bit : 30, west_mask = !first || TESSERA_TORUS;
  const int over = final ? (int)run.last_word : before ? (int)min(grid.last, (i64)W) : W;
#pragma unroll
  for (int j = 0; j < W; j++, own += grid.stride) {
    const u32 *west = own - macro, *east = own + macro;
    u32 west_bit = 30, east_to = 31, east_mask = 1;
    if constexpr (kSide) {
      const bool carry = west_word + j >= W;
      const int west_at = TESSERA_NARROW && first ? ((j - W) % TESSERA_NARROW + TESSERA_NARROW) % TESSERA_NARROW
                                                  : west_word + j - (carry ? W : 0);
      const u32 bit = west_first + (carry ? 1 : 0);
      const bool beyond = first && bit == 31;
      west_bit = beyond || (TESSERA_NARROW && first) ? 1 : bit;
      west = far_west + west_at * grid.stride + (beyond ? macro : 0);
      // In the last macro-column, and behind it, what follows the last cell begins again at the left edge.
      const bool wraps = final || j >= over;
      int east_at = j - over + (j < over ? W : 0);
      if (TESSERA_NARROW) east_at %= TESSERA_NARROW ? TESSERA_NARROW : 1;
      east = wraps ? in + east_at * grid.stride : east;
      east_to = final ? bit_after_last(run, j) : 31;
      east_mask = !wraps || TESSERA_TORUS;
      // Registers are not plenty: a few words of a row at a time.
      constexpr int kAtATime = R * W > 64 || !TESSERA_TORUS ? 2 : 4;
      if ((R * W > 48 || (R * W > 16 && !TESSERA_TORUS)) && j % kAtATime == 0) asm volatile("" ::: "memory");
    }
#pragma unroll
    for (int r = 0; r < R; r += V) {
      const Vector c = load(own + r), l = load(west + r), e = load(east + r);
#pragma unroll
      for (int i = 0; i < V; i++) {
        if constexpr (kSide) {
          s[r + i][j] = c.row[i] | (l.row[i] >> west_bit & west_mask) | (e.row[i] >> 1 & east_mask) << east_to;
        } else {
          s[r + i][j] = multiply_add(e.row[i], run.two30, c.row[i]) + (l.row[i] >> 30);
        }
      }
    }
  }
}

// One generation in place.
__device__ __forceinline__ void step_tile(u32 (&s)[R][W], const StripRun& run) {
  u32 left[R], seam[R];  // the old word to the left; the old word 0 as the right neighbour of word W-1
#pragma unroll
  for (int r = 0; r < R; r++) {
    left[r] = multiply_add(s[r][W - 1], run.two, 0);
    seam[r] = seam_of(s[r][0], run);
  }
#pragma unroll
  for (int j = 0; j < W; j++) {
    u32 x[R + 2], m[R + 2];  // row codes of rows -1 .. R of this column of words
#pragma unroll
    for (int r = 0; r < R; r++) {
      const u32 right = j == W - 1 ? seam[r] : s[r][(j + 1) % W];
      x[r + 1] = tessera_xor3(left[r], s[r][j], right);
      m[r + 1] = tessera_maj3(left[r], s[r][j], right);
    }
    x[0] = __shfl_up_sync(~0u, x[R], 1), m[0] = __shfl_up_sync(~0u, m[R], 1);
    x[R + 1] = __shfl_down_sync(~0u, x[1], 1), m[R + 1] = __shfl_down_sync(~0u, m[1], 1);
#pragma unroll
    for (int r = 0; r < R; r++) {
      const u32 centre = s[r][j];
      s[r][j] = tessera_next(x[r], m[r], x[r + 1], m[r + 1], centre, x[r + 2], m[r + 2]);
      left[r] = centre;
    }
  }
}

// Clears what lies outside a plane; cells in the halo live on where they are cells of the grid. A row at a time, so that
// little is alive besides the cells.
__device__ __forceinline__ void clear_outside(u32 (&s)[R][W], const Grid& grid, const StripRun& run) {
  const Tile tile = tile_of(grid, run);
  const bool final = tile.macro == (int)grid.units - 1, before = tile.macro == (int)grid.units - 2;
  const u32 west = tile.macro == 0 ? ~1u : ~0u;
#pragma unroll
  for (int r = 0; r < R; r++) {
    const u32 row = (u32)(tile.y + r) < (u32)grid.height ? west : 0;
#pragma unroll
    for (int j = 0; j < W; j++) {
      const u32 columns = final ? cells_of_last(run, j) | 1u : before && j >= (int)grid.last ? kInner | 1u : ~0u;
      s[r][j] &= row & columns;
    }
    asm volatile("" ::: "memory");
  }
}

// Stores what the tile owns. One code for all tiles: what only a few execute is fetched anew in every launch and holds up
// its end.
__device__ __forceinline__ void store_tile(const u32 (&s)[R][W], const Grid& grid, const StripRun& run) {
  const Tile tile = tile_of(grid, run);
  u32* out = run.to + grid.above + tile.macro * ((i64)W * grid.stride) + tile.y;
  const bool last = tile.macro == (int)grid.units - 1;
  const int rest = (int)grid.height - tile.y;  // rows of the grid from this lane's first on
#pragma unroll
  for (int j = 0; j < W; j++, out += grid.stride) {
    const u32 cells = last ? cells_of_last(run, j) : kInner;
#pragma unroll
    for (int r = 0; r < R; r += V) {
      if (tile.above + r < 0 || tile.above + r >= (int)run.tile_height) continue;
      Vector v;
#pragma unroll
      for (int i = 0; i < V; i++) v.row[i] = s[r + i][j] & cells;
      if (rest >= r + V) {
        store(out + r, v);
      } else {
#pragma unroll
        for (int i = 0; i < V; i++) {
          if (r + i < rest) out[r + i] = v.row[i];
        }
      }
    }
  }
}

// On a torus the margin rows are copies of rows at the opposite edge; the tile that owns the original writes them, its
// lanes together, from what they have just stored.
__device__ __forceinline__ void store_margins(const Grid& grid, const StripRun& run) {
  const Tile tile = tile_of(grid, run);
  u32* out = run.to + grid.above + tile.macro * ((i64)W * grid.stride);
  const int height = (int)grid.height, top = tile.row * (int)run.tile_height;
  const int lane = (int)threadIdx.x & 31;
  __syncwarp();
#pragma unroll 4
  for (int k = 0; k < (2 * T * W + 31) / 32; k++) {
    const int n = lane + 32 * k, row = n % (2 * T), to = row < T ? row - T : height + row - T;
    int from = to < 0 ? to + height : to >= height ? to - height : to;
    while (from < 0) from += height;
    while (from >= height) from -= height;
    u32* column = out + n / (2 * T) * grid.stride;
    if (n < 2 * T * W && from >= top && from < top + (int)run.tile_height) column[to] = column[from];
  }
}

}  // namespace

// Wrapped copies of the first and last rows around every column of words, after cells were changed from outside.
extern "C" __global__ void fill_margins(const Grid grid, u32* cells) {
  const i64 count = grid.units * W * 2 * T, height = grid.height;
  for (i64 n = (i64)blockIdx.x * blockDim.x + threadIdx.x; n < count; n += (i64)gridDim.x * blockDim.x) {
    const i64 row = n % (2 * T), y = row < T ? row - T : height + row - T;
    u32* column = cells + grid.above + n / (2 * T) * grid.stride;
    column[y] = column[(y % height + height) % height];
  }
}

extern "C" __global__ void __launch_bounds__(32 * TESSERA_WARPS, kBlocks) step(const Grid grid, const StripRun run) {
  const Tile tile = tile_of(grid, run);
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  if (tile.row >= (int)run.tile_rows) return;
  u32 s[R][W];
  const bool side = at_side(tile, grid), end = at_end(tile, grid, run);
  if (side) {
    load_tile<true>(s, grid, run);
  } else {
    load_tile<false>(s, grid, run);
  }
  int generations = (int)run.generations;
  if (!TESSERA_TORUS && (side || end)) {
#pragma unroll 1
    for (; generations > 0; generations--) {
      step_tile(s, run);
      clear_outside(s, grid, run);
    }
  } else {
#pragma unroll 1
    for (; generations > 0; generations--) step_tile(s, run);
  }
  store_tile(s, grid, run);
  if (TESSERA_TORUS && end) store_margins(grid, run);
}
