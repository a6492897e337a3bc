// Words of TESSERA_CELLS cells (1, 8, 32 or 64; the least significant bit is the leftmost), by rows
// or by columns, with margins all round. The bits beyond the width in a row's last word belong to
// the margin. TESSERA_PLANES of them may lie behind each other, which hold the bits of states.
#ifndef TESSERA_LAYOUT_PACKED_CUH
#define TESSERA_LAYOUT_PACKED_CUH

#include "kernel_params.h"

#ifndef TESSERA_PLANES
#define TESSERA_PLANES 1
#endif

namespace tessera::cuda {

constexpr int kCells = TESSERA_CELLS;
constexpr bool kByColumns = TESSERA_BY_COLUMNS;
constexpr bool kRowsFirst = kByColumns;
#if TESSERA_CELLS == 64
using Word = u64;
#elif TESSERA_CELLS == 32
using Word = u32;
#else
using Word = u8;
#endif

// Index of word i of row y; both may lie in the margin. `stride` is a row's words or a column's
// rows.
__device__ __forceinline__ i64 packed_at(const Grid& grid, i64 i, i64 y) {
  if constexpr (kByColumns) return (i + grid.left) * grid.stride + y + grid.above;
  return (y + grid.above) * grid.stride + i + grid.left;
}

// The bits of word i that are cells.
__device__ __forceinline__ Word packed_mask(const Grid& grid, i64 i) {
  if constexpr (kCells == 1) return 1;
  const i64 used = grid.width - i * kCells;
  if (used >= kCells) return (Word) ~(Word)0;
  return used <= 0 ? (Word)0 : (Word)(((Word)1 << used) - 1);
}

// Words from one plane to the next.
__device__ __forceinline__ i64 packed_plane(const Grid& grid) {
  return grid.storage / (i64)(TESSERA_PLANES * sizeof(Word));
}

// 64 cells of row y from column 64 * i on: of one plane, or of `kPlanes` together.
template <int kPlanes>
__device__ inline u64 packed_cells(const Grid& grid, const void* cells, i64 i, i64 y) {
  const Word* words = (const Word*)cells;
  u64 bits = 0;
  for (int n = 0; n < 64 / kCells; n++) {
    const i64 at = i * (64 / kCells) + n;
    if (at >= grid.units) break;
    Word word = words[packed_at(grid, at, y)];
    for (int p = 1; p < kPlanes; p++)
      word |= words[p * packed_plane(grid) + packed_at(grid, at, y)];
    bits |= (u64)(Word)(word & packed_mask(grid, at)) << (n * kCells);
  }
  return bits;
}

__device__ inline u64 layout_word(const Grid& grid, const void* cells, i64 i, i64 y) {
  return packed_cells<TESSERA_PLANES>(grid, cells, i, y);
}
#define TESSERA_LAYOUT_PLANE_WORD
__device__ inline u64 layout_plane_word(const Grid& grid, const void* plane, i64 i, i64 y) {
  return packed_cells<1>(grid, plane, i, y);
}

__device__ inline i64 layout_pieces(const Grid&, const Box& box) {
  return ((box.x + box.width - 1) / kCells - box.x / kCells + 1) * box.height;
}

__device__ inline void layout_paste(const Grid& grid, void* cells, const Box& box, i64 piece,
                                    const u64* staged, i64 staged_words) {
  const i64 across = (box.x + box.width - 1) / kCells - box.x / kCells + 1;
  const i64 y = kByColumns ? piece % box.height : piece / across;
  const i64 i = box.x / kCells + (kByColumns ? piece / box.height : piece % across);
  Word* at = (Word*)cells + packed_at(grid, i, box.y + y);
  Word word = *at;
  const i64 from = max(i * kCells, box.x), to = min((i + 1) * kCells, box.x + box.width);
  for (i64 x = from; x < to;) {  // at most two canonical words
    const i64 source = x - box.x;
    const int shift = (int)(source % 64), length = (int)min(to - x, (i64)(64 - shift));
    const u64 mask = length == 64 ? ~0ull : (1ull << length) - 1;
    const u64 bits = staged[y * staged_words + source / 64] >> shift & mask;
    const int bit = (int)(x - i * kCells);
    word = (Word)((word & ~((Word)mask << bit)) | (Word)bits << bit);
    x += length;
  }
  *at = word;
}

}  // namespace tessera::cuda

#endif
