// Regions of words that multiprocessors keep in registers; resident.cu explains them.
#ifndef TESSERA_LAYOUT_RESIDENT_CUH
#define TESSERA_LAYOUT_RESIDENT_CUH

#include "kernel_params.h"

namespace tessera::cuda {

constexpr int kRegionWords = TESSERA_W * TESSERA_WARPS;  // of a row of a region
constexpr int kLaneRows = TESSERA_R;
constexpr int kRegionColumns = 32 * kRegionWords, kRegionRows = 32 * kLaneRows;
constexpr int kColumnWords = kRegionRows;  // of a column of words
constexpr bool kRowsFirst = true;

// Where a region lies along one side of the grid: `own` cells from `begin` on are its own, and
// `lead` cells of it come before them.
struct Extent {
  int begin, own, lead;
};

// Of region i of n along a side of `size` cells. Regions at the border of a plane have nothing
// beyond it.
__device__ inline Extent extent_of(int i, int n, int size, int region, int halo) {
  const int begin = (int)((u32)i * (u32)size / (u32)n),
            end = (int)((u32)(i + 1) * (u32)size / (u32)n);
  int lead = halo;
#if !TESSERA_TORUS
  if (i == n - 1) lead = region - (end - begin);
  if (i == 0) lead = 0;
#endif
  return {begin, end - begin, lead};
}
__device__ inline Extent columns_of(const Grid& grid, int i) {
  return extent_of(i, (int)grid.units, (int)grid.width, kRegionColumns, (int)grid.left);
}
__device__ inline Extent rows_of(const Grid& grid, int i) {
  return extent_of(i, (int)grid.last, (int)grid.height, kRegionRows, (int)grid.above);
}
// The region to which a column, or row, belongs.
__device__ inline int region_at(i64 x, i64 n, i64 size) { return (int)(((x + 1) * n - 1) / size); }

// Where the words of a region are; column after column.
__device__ inline i64 region_place(const Grid& grid, int i, int k) {
  return ((i64)k * grid.units + i) * (kRegionWords * kColumnWords);
}
// The place of a row of a region in a column of its words.
__device__ inline int row_place(int row) { return row % kLaneRows * 32 + row / kLaneRows; }

__device__ inline u64 layout_word(const Grid& grid, const void* cells, i64 i, i64 y) {
  const int k = region_at(y, grid.last, grid.height);
  const Extent rows = rows_of(grid, k);
  const u32* words = (const u32*)cells + row_place((int)y - rows.begin + rows.lead);
  const int end = (int)min((i64)64, grid.width - 64 * i);
  u64 bits = 0;
  for (int at = 0; at < end;) {
    const int x = (int)(64 * i) + at, region = region_at(x, grid.units, grid.width);
    const Extent columns = columns_of(grid, region);
    const int until = min(end, columns.begin + columns.own - (int)(64 * i));
    const u32* from = words + region_place(grid, region, k);
    const int column = x - columns.begin + columns.lead;
    int j = column % kRegionWords, bit = column / kRegionWords;
    for (; at < until; at++) {
      bits |= (u64)(from[j * kColumnWords] >> bit & 1) << at;
      if (++j == kRegionWords) j = 0, bit++;
    }
  }
  return bits;
}

// All words of the regions that a box touches.
__device__ inline i64 layout_pieces(const Grid& grid, const Box& box) {
  const i64 first = region_at(box.x, grid.units, grid.width),
            last = region_at(box.x + box.width - 1, grid.units, grid.width);
  return (last - first + 1) * kRegionWords * box.height;
}

__device__ inline void layout_paste(const Grid& grid, void* cells, const Box& box, i64 piece,
                                    const u64* staged, i64 staged_words) {
  const i64 column = piece / box.height, y = piece - column * box.height;
  const int i = region_at(box.x, grid.units, grid.width) + (int)(column / kRegionWords),
            k = region_at(box.y + y, grid.last, grid.height), j = (int)(column % kRegionWords);
  const Extent columns = columns_of(grid, i), rows = rows_of(grid, k);
  u32* at = (u32*)cells + region_place(grid, i, k) + j * kColumnWords +
            row_place((int)(box.y + y) - rows.begin + rows.lead);
  u32 word = *at;
  for (int bit = 0; bit < 32; bit++) {
    const int own = bit * kRegionWords + j - columns.lead;
    const i64 x = columns.begin + own - box.x;
    if (own < 0 || own >= columns.own || x < 0 || x >= box.width) continue;
    const u32 alive = (u32)(staged[y * staged_words + x / 64] >> (x % 64)) & 1u;
    word = (word & ~(1u << bit)) | alive << bit;
  }
  *at = word;
}

}  // namespace tessera::cuda

#endif
