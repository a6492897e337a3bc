// The default kernel: a warp holds a tile in registers, horizontal neighbours need no shift, T
// generations per pass.
//
// Layout. A word keeps M bits on either side for a halo and B = 32 - 2M cells between them; W words
// hold a row of a macro-column of B*W cells: bit M + i of word j is the cell in column i*W + j of
// the macro-column, so the neighbours of word j are words j-1 and j+1 and only words 0 and W-1 need
// a one-bit shift. Halo bits are zero in memory; on load they are filled from the neighbouring
// strips and form a halo M*W columns deep, enough for T <= M*W generations. Words of one column are
// contiguous in y.
//
// Universes. The rows above and below come from margin rows; on a torus the tiles that own the
// opposite edge write them along with their own rows. At the left and right edge the halo bits are
// gathered from the places of the wrapped columns. On a plane, tiles that touch a border have code
// of their own, which kills the cells beside it every generation.
//
// Sharing. The rows left below the last whole tiles of a few macro-columns may share the lanes of
// one tile.
//
// Order. A launch is one pass over all tiles, one tile per warp. The warps of a block lie side by
// side, so that the halo words of one are in the cache for the other. Launches overlap as far as
// possible: the next launch's blocks start while the last blocks of this one are busy, and wait for
// them before they read.
//
// Bands. The grid may be a part of a larger one, and what lies beyond its first or last row
// unknown: passes step ever fewer rows, until those of other devices arrive. With TESSERA_BAND, for
// the passes at which that happens, tiles at the edge may come first and store their rows in the
// neighbours' memory, too, and may come last and wait for rows that arrive. Who stores has been
// told by a launch there that nobody looks at the place any more; who waits is told by the last
// tile that has stored.
//
// Cost. (32*R - 2*T) of 32*R rows and B of 32 bits are useful. A word of Life takes 8 gates on the
// logic pipe. Two of them can go to the multipliers, which are a separate pipe: a parity is a sum
// less twice the majority, a^b^c = a+b+c - 2*maj(a,b,c), in every bit and so for whole words
// including carries. For the same reason multiplications by powers of two replace the shifts of the
// seam.
//
// Any rule. A rule that does not count its neighbours is a program of gates (rule_source.h). Of
// what it reads in a row, the functions of a cell and its two neighbours are computed once for the
// three rows that read them, and what it reads in the row above or below crosses lanes. A rule of
// more than two states keeps P words instead of one, in planes behind each other: all are loaded
// with their halos and stored, and only the first has neighbours.
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

// a + b and a + b - 2m, not on the logic pipe.
__device__ __forceinline__ u32 sum_of(u32 a, u32 b, const StripRun& run) {
  return multiply_add(a, run.one, b);
}
__device__ __forceinline__ u32 parity_of(u32 a, u32 b, u32 majority, const StripRun& run) {
  return multiply_add(majority, run.minus_two, sum_of(a, b, run));
}
// The old word 0 as the right neighbour of the last word of a row.
__device__ __forceinline__ u32 seam_of(u32 word, const StripRun& run) {
  return multiply_high(word, run.two31);
}

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

#if !TESSERA_PROGRAM
// Whether a row's parities of Life are computed by the multipliers. Every fourth row is best: such
// a parity takes three instructions instead of one, and their operands must be read from registers,
// too.
__device__ constexpr bool by_sum(int row) {
  return TESSERA_LIFE && R >= 4 && row % (kLarge ? 8 : 4) == 0;
}

// The next state of a row of words from the row codes above, of itself and below, its cells and
// their neighbours; `sides` is left + right.
__device__ __forceinline__ u32 next_of(int row, u32 xa, u32 ma, u32 xb, u32 mb, u32 left,
                                       u32 centre, u32 right, u32 sides, u32 xc, u32 mc,
                                       const StripRun& run) {
#if TESSERA_LIFE
  const u32 q = tessera_maj3(xa, left, right);
  const u32 p = by_sum(row) ? parity_of(xa, sides, q, run) : tessera_xor3(xa, left, right);
  return tessera_life_end(p, q, ma, centre, xc, mc);
#else
  const u32 k = tessera_k(xa, xb, xc), u1 = tessera_u1(ma, mb, mc);
  // Two rows share the sum of the codes between them.
  const bool odd = row % 2 != 0;
  const u32 t0 = !TESSERA_SUM_T0 ? tessera_t0(xa, xb, xc)
                 : odd           ? parity_of(xc, sum_of(xa, xb, run), k, run)
                                 : parity_of(xa, sum_of(xb, xc, run), k, run);
  const u32 u0 = !TESSERA_SUM_U0 ? tessera_u0(ma, mb, mc)
                 : odd           ? parity_of(mc, sum_of(ma, mb, run), u1, run)
                                 : parity_of(ma, sum_of(mb, mc, run), u1, run);
  return tessera_tail(t0, k, u0, u1, centre);
#endif
}

#else
// All planes of a word, given what lives in its place.
__device__ __forceinline__ void step_states(u32 (&s)[P][R][W], int r, int j, u32 lives) {
#if TESSERA_PLANES == 1
  s[0][r][j] = lives;
#else
  u32 own[P], next[P];
#pragma unroll
  for (int p = 0; p < P; p++) own[p] = s[p][r][j];
  tessera_states(own, lives, next);
#pragma unroll
  for (int p = 0; p < P; p++) s[p][r][j] = next[p];
#endif
}
#endif

// One generation in place.
template <int kTurn = 0>
__device__ __forceinline__ void step_tile(u32 (&cells)[P][R][W], const StripRun& run) {
  u32(&s)[R][W] = cells[0];
  u32 left[R],
      seam[R];  // the old word to the left; the old word 0 as the right neighbour of word W-1
#pragma unroll
  for (int r = 0; r < R; r++) {
    left[r] = multiply_add(s[r][W - 1], run.two, 0);
    seam[r] = seam_of(s[r][0], run);
  }
#if TESSERA_PROGRAM
#pragma unroll
  for (int j = 0; j < W; j++) {
    // Rows -1 and R of this column of words, then three rows that move down it.
    RowCodes above, end, here, below;
    const auto signals_of = [&](int r) {
      return codes_of(left[r], s[r][j], j == W - 1 ? seam[r] : s[r][(j + 1) % W]);
    };
    here = signals_of(0), below = signals_of(R - 1);
#pragma unroll
    for (int n = 0; n < 3 + TESSERA_CODES; n++) {
      above.word[n] = Turn<kTurn>::above(n) ? __shfl_up_sync(~0u, below.word[n], 1) : 0;
      end.word[n] = Turn<kTurn>::below(n) ? __shfl_down_sync(~0u, here.word[n], 1) : 0;
    }
#pragma unroll
    for (int r = 0; r < R; r++) {
      below = r + 1 < R ? signals_of(r + 1) : end;
      const u32 lives = Turn<kTurn>::lives(above, here, below);
      left[r] = here.word[1];
      step_states(cells, r, j, lives);
      above = here, here = below;
    }
  }
#else
#pragma unroll
  for (int j = 0; j < W; j++) {
    u32 x[R + 2], m[R + 2], sides[R];  // row codes of rows -1 .. R of this column of words
#pragma unroll
    for (int r = 0; r < R; r++) {
      const u32 right = j == W - 1 ? seam[r] : s[r][(j + 1) % W];
      m[r + 1] = tessera_maj3(left[r], s[r][j], right);
      sides[r] = sum_of(left[r], right, run);
      x[r + 1] = by_sum(r) ? parity_of(s[r][j], sides[r], m[r + 1], run)
                           : tessera_xor3(left[r], s[r][j], right);
    }
    x[0] = __shfl_up_sync(~0u, x[R], 1), m[0] = __shfl_up_sync(~0u, m[R], 1);
    x[R + 1] = __shfl_down_sync(~0u, x[1], 1), m[R + 1] = __shfl_down_sync(~0u, m[1], 1);
#pragma unroll
    for (int r = 0; r < R; r++) {
      const u32 centre = s[r][j], right = j == W - 1 ? seam[r] : s[r][(j + 1) % W];
      s[r][j] = next_of(r, x[r], m[r], x[r + 1], m[r + 1], left[r], centre, right, sides[r],
                        x[r + 2], m[r + 2], run);
      left[r] = centre;
    }
  }
#endif
}

// The generations of a pass. `before` is called in front of each.
template <class Before>
__device__ __forceinline__ void step_all(u32 (&s)[P][R][W], const StripRun& run, Before before) {
#if TESSERA_TURNS == 2
  u32 odd = run.odd;
#pragma unroll 1
  for (int left = (int)run.generations; left > 0; left--, odd ^= 1) {
    before();
    if (odd) {
      step_tile<1>(s, run);
    } else {
      step_tile<0>(s, run);
    }
  }
#else
#pragma unroll 1
  for (int left = (int)run.generations; left > 0; left--) {
    before();
    step_tile(s, run);
  }
#endif
}

// The cells just outside a plane that a tile holds. They are kept dead, so that cells inside have
// no neighbours there. Cells further out live on, but nobody sees them, and what was loaded for
// them is arbitrary.
struct Border {
  u32 columns;  // bit M - 1 of the last word is column -1; another bit of word `last_word` is
                // column `width`
  u32 rows;     // bit r: row r of this lane is row -1 or row `height`
};
constexpr u32 kWest = 1u << (M - 1);

__device__ __forceinline__ Border border_of(const Tile& tile, const Grid& grid,
                                            const StripRun& run) {
  Border border{tile.macro == 0 ? kWest : 0, 0};
  const int after = (int)grid.units - 1 - tile.macro;
  if (after == 0) border.columns |= 1u << (M + run.last_count);
  if (after == 1 && run.last_count < M) border.columns |= 1u << (32 - M + run.last_count);
#pragma unroll
  for (int r = 0; r < R; r++)
    border.rows |= tile.y + r == -1 || tile.y + r == (int)grid.height ? 1u << r : 0;
  return border;
}

__device__ __forceinline__ void clear_outside(u32 (&s)[R][W], const Border& border,
                                              const StripRun& run) {
#pragma unroll
  for (int r = 0; r < R; r++) s[r][W - 1] &= ~(border.columns & kWest);
#pragma unroll
  for (int j = 0; j < W; j++) {
    if (j != TESSERA_LAST_WORD) continue;
#pragma unroll
    for (int r = 0; r < R; r++) s[r][j] &= ~(border.columns & ~kWest);
  }
#pragma unroll
  for (int r = 0; r < R; r++) {
#pragma unroll
    for (int j = 0; j < W; j++) s[r][j] = border.rows >> r & 1 ? 0 : s[r][j];
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

}  // namespace

// Wrapped copies of the first and last rows around every column of words, after cells were changed
// from outside.
extern "C" __global__ void fill_margins(const Grid grid, u32* cells) {
  const i64 count = P * grid.units * W * 2 * T, height = grid.height;
  for (i64 n = (i64)blockIdx.x * blockDim.x + threadIdx.x; n < count;
       n += (i64)gridDim.x * blockDim.x) {
    const i64 row = n % (2 * T), y = row < T ? row - T : height + row - T;
    u32* column = cells + grid.above + n / (2 * T) * grid.stride;
    column[y] = column[(y % height + height) % height];
  }
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
#define TESSERA_EDGES , const StripEdges& edges
#else
#define TESSERA_EDGES
#endif

// A tile at a plane's border, separate from the code for all others, so that each has its own
// registers.
__device__ __forceinline__ void pass_of_border(const Tile& tile, const Grid& grid,
                                               const StripRun& run TESSERA_EDGES) {
  u32 s[P][R][W];
  load_planes<true>(s, tile, grid, run);
  const Border border = border_of(kLarge ? tile_of(grid, run) : tile, grid, run);
  step_all(s, run, [&] { TESSERA_EACH_PLANE(p) clear_outside(s[p], border, run); });
  store_planes(s, kLarge ? tile_of(grid, run) : tile, grid, run);
#if TESSERA_BAND
  leave(s[0], grid, run, edges);
#endif
}

extern "C" __global__ void __launch_bounds__(32 * TESSERA_WARPS, kBlocks)
    step(const Grid grid, const StripRun run
#if TESSERA_BAND
         ,
         const StripEdges edges
#endif
    ) {
  const Tile tile = tile_of(grid, run);
  wait_for_last_launch();
#if TESSERA_BAND
  offer_room(edges);
  await_arrivals(tile, run, edges);
#endif
  if (is_surplus(tile, run)) return;
  const bool side = at_side(tile, grid);
  if (!TESSERA_TORUS && __any_sync(~0u, side || at_end(tile, grid, run))) {
#if TESSERA_BAND
    pass_of_border(tile, grid, run, edges);
#else
    pass_of_border(tile, grid, run);
#endif
    return;
  }
  u32 s[P][R][W];
  if (TESSERA_TORUS && side) {
    load_planes<true>(s, tile, grid, run);
  } else {
    load_planes<false>(s, tile, grid, run);
  }
  step_all(s, run, [] {});
  const Tile owned = kLarge ? tile_of(grid, run) : tile;
  if (TESSERA_TORUS) {
    store_planes(s, owned, grid, run);
  } else {
    TESSERA_EACH_PLANE(p) store_rows<false>(s[p], owned, grid, run, p);
  }
#if TESSERA_BAND
  leave(s[0], grid, run, edges);
#endif
  if (TESSERA_TORUS && at_end(owned, grid, run)) {
    TESSERA_EACH_PLANE(p) {
      if constexpr (kSmall) {
        store_margins_of_small(s[p], owned, grid, run, p);
      } else {
        store_margins(TESSERA_SHARED ? tile_of(grid, run) : owned, grid, run, p);
      }
    }
  }
}
