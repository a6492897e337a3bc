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
#include "strip_edges.cuh"
#include "strip_rows.cuh"
#include "strip_steps.cuh"

using namespace tessera::cuda;

namespace {

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

#if TESSERA_BAND
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
