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
// Order. One launch makes many passes. Warps take (pass, tile) pairs in order from a counter and wait until the tiles
// around have finished the pass before: that covers both what is read and what is overwritten, since a tile is only
// overwritten two passes later. There is no barrier, no tail between passes and no launch gap. It cannot deadlock: the
// unfinished item that was taken first waits for none that was taken later.
//
// Cost. 8 gates a word for Life, one shift a row of W words for the seam; (32*R - 2*T) of 32*R rows and 30 of 32 columns
// are useful. Multiplications by powers of two stand for shifts, since they run beside the logic pipe.
#include "kernel_params.h"
#include "gates.cuh"

using namespace tessera::cuda;

namespace {

constexpr int W = TESSERA_W, R = TESSERA_R, T = TESSERA_T;
constexpr int V = R % 4 == 0 ? 4 : R % 2 == 0 ? 2 : 1;  // rows a vector access
static_assert(T <= W && T % V == 0 && R % V == 0 && 32 * R > 2 * T, "halo W columns deep; whole vectors");
constexpr u32 kInner = 0x7FFFFFFEu;
constexpr int kMacro = 30 * W;

__device__ __forceinline__ u32 multiply_add(u32 a, u32 b, u32 c) {
  u32 d;
  asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
// The old word 0 as the right neighbour of the last word of a row.
__device__ __forceinline__ u32 seam_of(u32 word, const StripRun& run) {
#if TESSERA_SEAM_MULTIPLY
  u32 d;
  asm("mul.hi.u32 %0, %1, %2;" : "=r"(d) : "r"(word), "r"(run.two31));
  return d;
#else
  return word >> 1;
#endif
}

#if TESSERA_LOAD_L2
#define TESSERA_LOAD(at) __ldcg(at)
#else
#define TESSERA_LOAD(at) (*(at))
#endif

struct Vector {
  u32 row[V];
};

__device__ __forceinline__ Vector load(const u32* at) {
  Vector v;
  if constexpr (V == 4) {
    const uint4 q = TESSERA_LOAD((const uint4*)at);
    v.row[0] = q.x, v.row[1] = q.y, v.row[2] = q.z, v.row[3] = q.w;
  } else if constexpr (V == 2) {
    const uint2 q = TESSERA_LOAD((const uint2*)at);
    v.row[0] = q.x, v.row[1] = q.y;
  } else {
    v.row[0] = TESSERA_LOAD(at);
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

// A tile and where it lies. Made anew from the work item for every phase, so that nothing but the item's number and the
// cells themselves occupies registers while generations are computed.
struct Tile {
  u32 pass, index;
  int macro, row;
  int y;      // first row that this lane holds
  int above;  // rows from the first that the tile owns down to y; negative in the halo
};

__device__ __forceinline__ Tile tile_of(u32 item, const Grid& grid, const StripRun& run) {
  asm volatile("" : "+r"(item));
  const u32 macros = (u32)grid.units, tiles = run.tile_rows * macros;
  Tile tile;
  tile.pass = item / tiles;
  tile.index = item - tile.pass * tiles;
  tile.row = (int)(tile.index / macros);
  tile.macro = (int)(tile.index - tile.row * macros);
  tile.above = (int)(threadIdx.x & 31) * R - T;
  tile.y = tile.row * (int)run.tile_height + tile.above;
  return tile;
}

// Touches an edge of the grid: needs wrapped or masked cells.
__device__ __forceinline__ bool at_edge(const Tile& tile, const Grid& grid, const StripRun& run) {
  const int top = tile.row * (int)run.tile_height;
  return tile.macro == 0 || (i64)(tile.macro + 1) * kMacro + W > grid.width || tile.row == 0 ||
         top - T + 32 * R > (int)grid.height - T;
}

// Column x, wrapped, as a place in memory: index of its word's column and its bit.
struct Place {
  i64 column;
  int bit;
};
__device__ Place place_of(const Grid& grid, i64 x) {
  x %= grid.width;
  if (x < 0) x += grid.width;
  const i64 macro = x / kMacro;
  const int inside = (int)(x - macro * kMacro);
  return {macro * W + inside % W, inside / W + 1};
}

// Bits of word j of the last macro-column that are cells.
__device__ __forceinline__ u32 cells_of_last(const Grid& grid, int j) {
  const int count = ((int)grid.last - j + W - 1) / W;  // columns j, j+W, ... below `last`
  return j < grid.last ? (2u << count) - 2u : 0u;
}

template <bool kEdge>
__device__ __forceinline__ void load_tile(u32 (&s)[R][W], u32 item, const Grid& grid, const StripRun& run) {
  const Tile tile = tile_of(item, grid, run);
  const u32* in = (tile.pass & 1 ? run.back : run.front) + grid.above;
  const i64 macro = (i64)W * grid.stride;
  const u32* own = in + tile.macro * macro + tile.y;
#pragma unroll
  for (int j = 0; j < W; j++) {
    const u32 *west = own + j * grid.stride - macro, *east = own + j * grid.stride + macro;
    int west_bit = 30, east_bit = 1, east_to = 31;
    bool west_on = true, east_on = true;
    if constexpr (kEdge) {
      const i64 x0 = (i64)tile.macro * kMacro;
      const bool final = tile.macro == grid.units - 1;
      // The first column beyond the cells (beyond the macro-column) that word j holds.
      const i64 over = final ? grid.last + ((j - grid.last) % W + W) % W : kMacro + j;
      west_on = TESSERA_TORUS || tile.macro > 0;
      east_on = TESSERA_TORUS || x0 + over < grid.width;
      const Place w = place_of(grid, x0 - W + j), e = place_of(grid, x0 + over);
      west = in + w.column * grid.stride + tile.y, west_bit = w.bit;
      east = in + e.column * grid.stride + tile.y, east_bit = e.bit, east_to = (int)(over / W) + 1;
    }
#pragma unroll
    for (int r = 0; r < R; r += V) {
      if constexpr (kEdge) {
        if (tile.y + r >= (int)grid.height + T) {
#pragma unroll
          for (int i = 0; i < V; i++) s[r + i][j] = 0;
          continue;
        }
        const Vector c = load(own + j * grid.stride + r);
        const Vector l = west_on ? load(west + r) : Vector{}, e = east_on ? load(east + r) : Vector{};
#pragma unroll
        for (int i = 0; i < V; i++) {
          s[r + i][j] = c.row[i] | (l.row[i] >> west_bit & 1u) | (e.row[i] >> east_bit & 1u) << east_to;
        }
      } else {
        const Vector c = load(own + j * grid.stride + r), l = load(west + r), e = load(east + r);
#pragma unroll
        for (int i = 0; i < V; i++) {
          s[r + i][j] = multiply_add(e.row[i], run.two30, c.row[i]) + (l.row[i] >> 30);
        }
      }
    }
  }
}

// One generation in place. kMasked: what lies outside a plane is cleared.
template <bool kMasked>
__device__ __forceinline__ void step_tile(u32 (&s)[R][W], u32 item, const Grid& grid, const StripRun& run) {
  Tile tile{};
  if constexpr (kMasked) tile = tile_of(item, grid, run);
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
    u32 columns = ~0u;
    if constexpr (kMasked) {
      if (tile.macro == grid.units - 1) columns = cells_of_last(grid, j);
      if (tile.macro == 0) columns &= ~1u;
    }
#pragma unroll
    for (int r = 0; r < R; r++) {
      const u32 centre = s[r][j];
      u32 next = tessera_next(x[r], m[r], x[r + 1], m[r + 1], centre, x[r + 2], m[r + 2]);
      if constexpr (kMasked) next &= (u32)(tile.y + r) < (u32)grid.height ? columns : 0;
      s[r][j] = next;
      left[r] = centre;
    }
  }
}

// Stores what the tile owns; at the edges also the margin rows of which it owns the original.
template <bool kEdge>
__device__ __forceinline__ void store_tile(const u32 (&s)[R][W], u32 item, const Grid& grid, const StripRun& run) {
  const Tile tile = tile_of(item, grid, run);
  u32* out = (tile.pass & 1 ? run.front : run.back) + grid.above + tile.macro * ((i64)W * grid.stride) + tile.y;
  const int height = (int)grid.height;
#pragma unroll
  for (int j = 0; j < W; j++, out += grid.stride) {
    u32 cells = kInner;
    if constexpr (kEdge) {
      if (tile.macro == (int)grid.units - 1) cells = cells_of_last(grid, j);
    }
#pragma unroll
    for (int r = 0; r < R; r += V) {
      if (tile.above + r < 0 || tile.above + r >= (int)run.tile_height) continue;
      if constexpr (kEdge) {
#pragma unroll
        for (int i = 0; i < V; i++) {
          const int y = tile.y + r + i;
          if (y >= height) continue;
          const u32 word = s[r + i][j] & cells;
          out[r + i] = word;
          if constexpr (TESSERA_TORUS) {
            if (y >= height - T) {
              for (int copy = y - height; copy >= -T; copy -= height) out[copy - tile.y] = word;
            }
            if (y < T) {
              for (int copy = y + height; copy < height + T; copy += height) out[copy - tile.y] = word;
            }
          }
        }
      } else {
        Vector v;
#pragma unroll
        for (int i = 0; i < V; i++) v.row[i] = s[r + i][j] & kInner;
        store(out + r, v);
      }
    }
  }
}

__device__ __forceinline__ u32 read_acquire(const u32* at) {
  u32 value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}
__device__ __forceinline__ void write_release(u32* at, u32 value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

// Waits until the tiles around have finished the pass before. A lane looks at one of them.
__device__ __forceinline__ void wait_for_neighbours(u32 item, const Grid& grid, const StripRun& run) {
  const Tile tile = tile_of(item, grid, run);
  const int lane = threadIdx.x & 31, reach = run.wide ? 2 : 1, side = 2 * reach + 1;
  const int macros = (int)grid.units, rows = (int)run.tile_rows;
  int m = tile.macro + lane % side - reach, y = tile.row + lane / side - reach;
  while (m < 0) m += macros;
  while (m >= macros) m -= macros;
  while (y < 0) y += rows;
  while (y >= rows) y -= rows;
  const u32* flag = run.done + (i64)y * macros + m;
  bool ready = lane >= side * side;
  while (true) {
    if (!ready) ready = (int)(read_acquire(flag) - (run.base + tile.pass)) >= 0;
    if (__all_sync(~0u, ready)) break;
    __nanosleep(40);
  }
}

__device__ __forceinline__ u32 take_item(const StripRun& run) {
  return (threadIdx.x & 31) == 0 ? atomicAdd(run.counter, 1u) : 0;
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

extern "C" __global__ void __launch_bounds__(32 * TESSERA_WARPS, TESSERA_BLOCKS) step(const Grid grid, const StripRun run) {
  u32 item = __shfl_sync(~0u, take_item(run), 0);
  while (item < run.tile_rows * (u32)grid.units * run.steps) {
    const u32 following = take_item(run);
    wait_for_neighbours(item, grid, run);
    u32 s[R][W];
    const Tile tile = tile_of(item, grid, run);
    const bool edge = at_edge(tile, grid, run);
    int generations = tile.pass + 1 == run.steps ? (int)run.rest : T;
    if (edge) {
      load_tile<true>(s, item, grid, run);
    } else {
      load_tile<false>(s, item, grid, run);
    }
    if (!TESSERA_TORUS && edge) {
#pragma unroll 1
      for (; generations > 0; generations--) step_tile<true>(s, item, grid, run);
    } else {
#pragma unroll 1
      for (; generations > 0; generations--) step_tile<false>(s, item, grid, run);
    }
    if (edge) {
      store_tile<true>(s, item, grid, run);
    } else {
      store_tile<false>(s, item, grid, run);
    }
    __syncwarp();
    const Tile stored = tile_of(item, grid, run);
    if ((threadIdx.x & 31) == 0) write_release(run.done + stored.index, run.base + stored.pass + 1);
    item = __shfl_sync(~0u, following, 0);
  }
}
