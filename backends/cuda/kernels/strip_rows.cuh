// How rows of a tile of strips.cu come from memory, and return.
#ifndef TESSERA_STRIP_ROWS_CUH
#define TESSERA_STRIP_ROWS_CUH

#include "strip_tile.cuh"

using namespace tessera::cuda;

namespace {

struct Vector {
  u32 row[V];
};

// Not through the read-only path, whose loads may move ahead of the wait for the previous launch.
__device__ __forceinline__ Vector load(const u32* at) {
  Vector v;
  if constexpr (V == 4) {
    const uint4 q = TESSERA_LAST_READ ? load_last((const uint4*)at) : *(const uint4*)at;
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

// kSide: the halo bits at the left and right edge come from the places of the wrapped columns. In
// word j they are neighbouring cells of one word, except that the M cells before the width may
// begin in one macro-column and end in the next, and that what follows the width, in the last
// macro-column and after it, begins again at the left edge. A single cell has one place; several
// cells need another word where they are cut (and then the grid has three macro-columns or more, so
// that no tile is cut on both sides). Written without branches, so that all loads are under way
// before the first is waited for.
template <bool kSide>
__device__ __forceinline__ void load_tile(u32 (&s)[R][W], const Tile& tile, const Grid& grid,
                                          const StripRun& run, int p) {
  // Lanes below the lower margin need nothing and must not read beyond the column.
  const u32* in = TESSERA_PLANE_OF(run.from, grid, p) + grid.above +
                  min(tile.y, (int)(grid.stride - grid.above) - R);
  const i64 macro = (i64)W * grid.stride;
  const u32* own = in + tile.macro * macro;
  const bool first = tile.macro == 0, final = tile.macro == (int)grid.units - 1,
             before = tile.macro == (int)grid.units - 2;
  const u32* west_begin = first ? in + run.west_macro * macro : own - macro;
  const u32* west_rest =
      first && run.west_macro + 1 == (u32)grid.units ? west_begin : west_begin + macro;
  const int west_word = first ? (int)run.west_word : 0, last_word = (int)run.last_word;
  const u32 west_cell = first ? run.west_cell : B - M;
  i64 stride = grid.stride;
#pragma unroll
  for (int j = 0; j < W; j++, own += stride) {
    const u32 *west = own - macro, *east = own + macro, *cut = own;
    u32 west_from = 0, wrap_by = 0, east_by = B, east_mask = ~0u, wrap_mask = 0;
    if constexpr (kSide) {
      const int carry = west_word + j >= W ? 1 : 0;
      const int west_at = TESSERA_NARROW && first
                              ? ((j - W) % TESSERA_NARROW + TESSERA_NARROW) % TESSERA_NARROW
                              : west_word + j - carry * W;
      int wrap_at = j - last_word + (j < last_word ? W : 0);
      if (TESSERA_NARROW) wrap_at %= TESSERA_NARROW ? TESSERA_NARROW : 1;
      const u32* wrap = in + wrap_at * stride;
      wrap_by = count_of_last(run, j);
      west_from = TESSERA_NARROW && first ? 0 : west_cell + carry;
      if constexpr (M == 1) {
        const bool beyond = west_from == B, wraps = final || (before && wrap_by == 0);
        west = (beyond ? west_rest : west_begin) + west_at * stride;
        west_from = beyond ? 0 : west_from;
        east = wraps ? wrap : east;
        east_by = final ? wrap_by : B;
      } else {
        west = west_begin + west_at * stride;
        cut = first ? west_rest + west_at * stride : wrap;
        east = final ? own : east;
        east_by = final ? 0 : B;
        east_mask = final ? 0 : ~0u;
        wrap_mask = final || before ? ~0u : 0;
      }
      // To save registers, a few words of a row at a time, and no address before it is needed.
      constexpr int kAtATime = R * W * P > 64 || M > 1 || !TESSERA_TORUS ? 1 : 2;
      if ((kLarge || (R * W * P > 16 && !TESSERA_TORUS)) && j % kAtATime == 0)
        forget_and_order(stride);
    }
#pragma unroll
    for (int r = 0; r < R; r += V) {
      const Vector c = load(own + r), l = load(west + r), e = load(east + r);
      Vector d{};
      if constexpr (kSide && M > 1) d = load(cut + r);
#pragma unroll
      for (int i = 0; i < V; i++) {
        if constexpr (kSide) {
          const u32 from_west = (l.row[i] >> M | d.row[i] << (B - M)) >> west_from & kLow;
          const u32 from_east = (e.row[i] & east_mask) | (d.row[i] & wrap_mask) << wrap_by;
          s[r + i][j] = c.row[i] | from_west | from_east << east_by;
        } else {
          s[r + i][j] = multiply_high_add(l.row[i], run.to_west,
                                          multiply_add(e.row[i], run.to_east, c.row[i]));
        }
      }
    }
  }
}

// Stores what the tile owns, by vectors where they lie within the grid. kLast: in the last
// macro-column, whose words may hold fewer cells.
template <bool kLast>
__device__ __forceinline__ void store_rows(const u32 (&s)[R][W], const Tile& tile, const Grid& grid,
                                           const StripRun& run, int p) {
  u32* out =
      TESSERA_PLANE_OF(run.to, grid, p) + grid.above + tile.macro * ((i64)W * grid.stride) + tile.y;
  const int rest = min((int)run.tile_height - tile.above,
                       end_of(grid, run) - tile.y);  // rows from this lane's first on
  const bool ragged = (TESSERA_BAND ? (i64)run.end : grid.height) % V != 0;
#pragma unroll
  for (int j = 0; j < W; j++, out += grid.stride) {
    const u32 cells = kLast ? cells_of_last(run, j) : kInner;
#pragma unroll
    for (int r = 0; r < R; r += V) {
      Vector v;
#pragma unroll
      for (int i = 0; i < V; i++) v.row[i] = s[r + i][j] & cells;
      if (tile.above + r >= 0 && r + V <= rest) store(out + r, v);
    }
    if (V > 1 && ragged) {
#pragma unroll
      for (int r = 0; r < R; r++) {
        if (tile.above + r >= 0 && r < rest && r / V * V + V > rest) out[r] = s[r][j] & cells;
      }
    }
  }
}

__device__ __forceinline__ void store_tile(const u32 (&s)[R][W], const Tile& tile, const Grid& grid,
                                           const StripRun& run, int p) {
  if (tile.macro == (int)grid.units - 1) {
    store_rows<true>(s, tile, grid, run, p);
  } else {
    store_rows<false>(s, tile, grid, run, p);
  }
}

// On a torus the margin rows are copies of rows at the opposite edge; the tile that owns the
// original writes them. In a small tile each lane writes its own rows. In a large tile the lanes
// share the rows that they have just stored, which is less code and waits for memory once more.
__device__ __forceinline__ void store_margins_of_small(const u32 (&s)[R][W], const Tile& tile,
                                                       const Grid& grid, const StripRun& run,
                                                       int p) {
  u32* out = TESSERA_PLANE_OF(run.to, grid, p) + grid.above + tile.macro * ((i64)W * grid.stride);
  const bool last = tile.macro == (int)grid.units - 1;
  const int height = (int)grid.height;
#pragma unroll
  for (int r = 0; r < R; r++) {
    const int y = tile.y + r;
    if (tile.above + r < 0 || tile.above + r >= (int)run.tile_height || y >= height) continue;
    if (y >= T && y < height - T) continue;
    const auto copy = [&](int to) {
#pragma unroll
      for (int j = 0; j < W; j++)
        out[j * grid.stride + to] = s[r][j] & (last ? cells_of_last(run, j) : kInner);
    };
#pragma unroll 1
    for (int to = y + height; to < height + T; to += height) copy(to);
#pragma unroll 1
    for (int to = y - height; to >= -T; to -= height) copy(to);
  }
}

constexpr int kMarginsAtOnce =
    TESSERA_LAST_READ && !TESSERA_SHARED ? 1 : 4;  // for want of registers
__device__ __forceinline__ void store_margins(const Tile& tile, const Grid& grid,
                                              const StripRun& run, int p) {
  int macro = tile.shared ? (int)(tile_index() * run.shared_by) : tile.macro;
  const int last = tile.shared ? min(macro + (int)run.shared_by, (int)grid.units) - 1 : macro;
#pragma unroll 1
  do {
    u32* out = TESSERA_PLANE_OF(run.to, grid, p) + grid.above + macro * ((i64)W * grid.stride);
    const int height = (int)grid.height, top = top_of(tile, run);
    const int lane = (int)threadIdx.x & 31;
    __syncwarp();
#pragma unroll kMarginsAtOnce
    for (int k = 0; k < (2 * T * W + 31) / 32; k++) {
      const int n = lane + 32 * k, row = n % (2 * T), to = row < T ? row - T : height + row - T;
      int from = to < 0 ? to + height : to >= height ? to - height : to;
      while (from < 0) from += height;
      while (from >= height) from -= height;
      u32* column = out + n / (2 * T) * grid.stride;
      if (n < 2 * T * W && from >= top && from < top + (int)run.tile_height)
        column[to] = column[from];
    }
  } while (TESSERA_SHARED && ++macro <= last);
}

template <bool kSide>
__device__ __forceinline__ void load_planes(u32 (&s)[P][R][W], const Tile& tile, const Grid& grid,
                                            const StripRun& run) {
  TESSERA_EACH_PLANE(p) load_tile<kSide>(s[p], tile, grid, run, p);
}

__device__ __forceinline__ void store_planes(const u32 (&s)[P][R][W], const Tile& tile,
                                             const Grid& grid, const StripRun& run) {
  TESSERA_EACH_PLANE(p) store_tile(s[p], tile, grid, run, p);
}

}  // namespace

#endif
