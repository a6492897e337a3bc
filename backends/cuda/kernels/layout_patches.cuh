// Patches of 4x4 cells in 16 bits, bit 4*row + column, by rows, with a margin of one patch all
// round.
#ifndef TESSERA_LAYOUT_PATCHES_CUH
#define TESSERA_LAYOUT_PATCHES_CUH

#include "kernel_params.h"

namespace tessera::cuda {

constexpr bool kRowsFirst = false;

// Index of the patch in column i and row p; both may be -1 or one past the last.
__device__ __forceinline__ i64 patch_at(const Grid& grid, i64 i, i64 p) {
  return (p + 1) * grid.stride + i + 1;
}

// The cells of patch column i and row p that lie on the grid.
__device__ __forceinline__ u32 patch_mask(const Grid& grid, i64 i, i64 p) {
  const i64 columns = min(grid.width - 4 * i, 4ll), rows = min(grid.height - 4 * p, 4ll);
  if (i < 0 || p < 0 || columns <= 0 || rows <= 0) return 0;
  return (0x1111u * ((1u << columns) - 1)) & ((1u << 4 * rows) - 1);
}

__device__ inline u64 layout_word(const Grid& grid, const void* cells, i64 i, i64 y) {
  const u16* patches = (const u16*)cells;
  u64 bits = 0;
  for (int n = 0; n < 16 && 16 * i + n < grid.units; n++) {
    const u32 patch =
        patches[patch_at(grid, 16 * i + n, y / 4)] & patch_mask(grid, 16 * i + n, y / 4);
    bits |= (u64)(patch >> (int)(4 * (y % 4)) & 15u) << (4 * n);
  }
  return bits;
}

__device__ inline i64 layout_pieces(const Grid&, const Box& box) {
  return ((box.x + box.width - 1) / 4 - box.x / 4 + 1) *
         ((box.y + box.height - 1) / 4 - box.y / 4 + 1);
}

__device__ inline void layout_paste(const Grid& grid, void* cells, const Box& box, i64 piece,
                                    const u64* staged, i64 staged_words) {
  const i64 across = (box.x + box.width - 1) / 4 - box.x / 4 + 1;
  const i64 i = box.x / 4 + piece % across, p = box.y / 4 + piece / across;
  u16* at = (u16*)cells + patch_at(grid, i, p);
  u32 patch = *at;
  for (int bit = 0; bit < 16; bit++) {
    const i64 x = 4 * i + bit % 4 - box.x, y = 4 * p + bit / 4 - box.y;
    if (x < 0 || y < 0 || x >= box.width || y >= box.height) continue;
    const u32 alive = (u32)(staged[y * staged_words + x / 64] >> (x % 64)) & 1u;
    patch = (patch & ~(1u << bit)) | alive << bit;
  }
  *at = (u16)patch;
}

}  // namespace tessera::cuda

#endif
