// Strips for rules of longer range: a row is cut into 32 * L strips of S = grid.units columns,
// where L is TESSERA_LANES. Words of one column of the strips lie side by side: bit b of word l of
// column j has column (b * L + l) * S + j of the grid. So the neighbour k columns away is k * L
// words away in the same bit, whatever k, and no word is ever shifted. `left` columns and `above`
// rows of margin stand before them, and behind them what a cell sees; sums.cu fills both.
#ifndef TESSERA_LAYOUT_SUMS_CUH
#define TESSERA_LAYOUT_SUMS_CUH

#include "kernel_params.h"

#ifndef TESSERA_PLANES
#define TESSERA_PLANES 1
#endif

namespace tessera::cuda {

constexpr bool kRowsFirst = false;
constexpr int kLanes = TESSERA_LANES;

// Index of the first word of column j of row y; both may lie in the margin.
__device__ __forceinline__ i64 sums_at(const Grid& grid, i64 j, i64 y) {
  return (y + grid.above) * grid.stride + (j + grid.left) * kLanes;
}

// Words from one plane to the next.
__device__ __forceinline__ i64 sums_plane(const Grid& grid) {
  return grid.storage / (4 * TESSERA_PLANES);
}

// 64 cells of row y from column 64 * i on: of one plane, or of all of a cell's state together, of
// which none but 0 has no bit.
template <bool kAll>
__device__ inline u64 sums_cells(const Grid& grid, const void* cells, i64 i, i64 y) {
  const u32* row = (const u32*)cells + sums_at(grid, 0, y);
  i64 strip = 64 * i / grid.units, j = 64 * i - strip * grid.units;
  const int end = (int)min((i64)64, grid.width - 64 * i);
  u64 bits = 0;
  for (int at = 0; at < end; at++, j++) {
    if (j == grid.units) strip++, j = 0;
    const u32* from = row + j * kLanes + strip % kLanes;
    u32 word = *from;
    for (int p = 1; kAll && p < TESSERA_PLANES; p++) word |= from[p * sums_plane(grid)];
    bits |= (u64)(word >> (strip / kLanes) & 1) << at;
  }
  return bits;
}

__device__ inline u64 layout_word(const Grid& grid, const void* cells, i64 i, i64 y) {
  return sums_cells<true>(grid, cells, i, y);
}
#define TESSERA_LAYOUT_PLANE_WORD
__device__ inline u64 layout_plane_word(const Grid& grid, const void* plane, i64 i, i64 y) {
  return sums_cells<false>(grid, plane, i, y);
}

__device__ inline i64 layout_pieces(const Grid& grid, const Box& box) {
  return grid.units * kLanes * box.height;
}

__device__ inline void layout_paste(const Grid& grid, void* cells, const Box& box, i64 piece,
                                    const u64* staged, i64 staged_words) {
  const i64 across = grid.units * kLanes, y = piece / across, word = piece - y * across;
  const i64 j = word / kLanes, lane = word - j * kLanes;
  u32* at = (u32*)cells + sums_at(grid, 0, box.y + y) + word;
  u32 bits = *at;
  for (int bit = 0; bit < 32; bit++) {
    const i64 x = (bit * kLanes + lane) * grid.units + j - box.x;
    if (x < 0 || x >= box.width) continue;
    const u32 alive = (u32)(staged[y * staged_words + x / 64] >> (x % 64)) & 1u;
    bits = (bits & ~(1u << bit)) | alive << bit;
  }
  *at = bits;
}

}  // namespace tessera::cuda

#endif
