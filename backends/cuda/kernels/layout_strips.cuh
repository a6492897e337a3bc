// Strips with W words per row of a macro-column and M bits of halo on either side of a word;
// strips.cu explains them.
#ifndef TESSERA_LAYOUT_STRIPS_CUH
#define TESSERA_LAYOUT_STRIPS_CUH

#include "kernel_params.h"

namespace tessera::cuda {

constexpr int kStripWords = TESSERA_W, kStripHalo = TESSERA_HALO, kStripCells = 32 - 2 * kStripHalo;
constexpr int kStripMacro = kStripCells * kStripWords;
constexpr bool kRowsFirst = true;
#ifndef TESSERA_PLANES
#define TESSERA_PLANES 1
#endif

// A word of one plane, or of all of a cell's state together: no state but 0 has no bit.
template <bool kAll>
__device__ inline u32 strip_word(const Grid& grid, const u32* at) {
  u32 word = *at;
#if TESSERA_PLANES > 1
  if (kAll) {
    for (int p = 1; p < TESSERA_PLANES; p++) word |= at[p * grid.units * kStripWords * grid.stride];
  }
#endif
  return word;
}

template <bool kAll>
__device__ inline u64 strip_cells(const Grid& grid, const void* cells, i64 i, i64 y) {
  const u32* words = (const u32*)cells + grid.above + y;
  u64 bits = 0;
  for (int at = 0; at < 64;) {
    const i64 x = 64 * i + at;
    if (x >= grid.width) break;
    const i64 macro = x / kStripMacro;
    const int inside = (int)(x - macro * kStripMacro);
    const int end =
        min(64, at + kStripMacro - inside);  // beyond the width the last macro-column is zero
    for (int j = 0; j < kStripWords; j++) {
      const u32 word = strip_word<kAll>(grid, words + (macro * kStripWords + j) * grid.stride);
      int c = at + (j - inside % kStripWords + kStripWords) % kStripWords;
      u32 rest = word >> ((inside + c - at) / kStripWords + kStripHalo & 31);
      for (; c < end; c += kStripWords, rest >>= 1) bits |= (u64)(rest & 1) << c;
    }
    at = end;
  }
  return bits;
}

__device__ inline u64 layout_word(const Grid& grid, const void* cells, i64 i, i64 y) {
  return strip_cells<true>(grid, cells, i, y);
}
#define TESSERA_LAYOUT_PLANE_WORD
__device__ inline u64 layout_plane_word(const Grid& grid, const void* plane, i64 i, i64 y) {
  return strip_cells<false>(grid, plane, i, y);
}

// Word `column` of row y in this layout's own form.
#define TESSERA_LAYOUT_OWN_ROWS
__device__ inline u32* layout_own_word(const Grid& grid, void* cells, i64 column, i64 y, i64) {
  return (u32*)cells + grid.above + column * grid.stride + y;
}

// The bits of word j of a macro-column that are cells before its column `columns`.
__device__ inline u32 strip_bits_before(int columns, int j) {
  const int n = columns > j ? (columns - j + kStripWords - 1) / kStripWords : 0;
  return n >= kStripCells ? ~0u >> 2 * kStripHalo << kStripHalo : ((1u << n) - 1) << kStripHalo;
}

// Live cells in `rows` rows from y on, in `columns` columns from x on.
#define TESSERA_LAYOUT_COUNTS
__device__ inline u32 layout_count(const Grid& grid, const void* cells, i64 x, i64 columns, i64 y,
                                   i64 rows) {
  const u32* words = (const u32*)cells + grid.above + y;
  const i64 end = x + columns;
  u32 live = 0;
  for (i64 macro = x / kStripMacro; macro * kStripMacro < end; macro++) {
    const int from = (int)max(x - macro * kStripMacro, (i64)0);
    const int to = (int)min(end - macro * kStripMacro, (i64)kStripMacro);
    for (int j = 0; j < kStripWords; j++) {
      const u32 bits = strip_bits_before(to, j) & ~strip_bits_before(from, j);
      if (bits == 0) continue;
      const u32* column = words + (macro * kStripWords + j) * grid.stride;
      for (i64 r = 0; r < rows; r++) live += (u32)__popc(strip_word<true>(grid, column + r) & bits);
    }
  }
  return live;
}

__device__ inline i64 layout_pieces(const Grid&, const Box& box) {
  const i64 first = box.x / kStripMacro, last = (box.x + box.width - 1) / kStripMacro;
  return (last - first + 1) * kStripWords * box.height;
}

__device__ inline void layout_paste(const Grid& grid, void* cells, const Box& box, i64 piece,
                                    const u64* staged, i64 staged_words) {
  const i64 column = piece / box.height, y = piece - column * box.height;
  const i64 macro = box.x / kStripMacro + column / kStripWords;
  const int j = (int)(column % kStripWords);
  u32* at = (u32*)cells + grid.above + (macro * kStripWords + j) * grid.stride + box.y + y;
  u32 word = *at;
  for (int cell = 0; cell < kStripCells; cell++) {
    const i64 x = macro * kStripMacro + cell * kStripWords + j - box.x;
    if (x < 0 || x >= box.width) continue;
    const u32 alive = (u32)(staged[y * staged_words + x / 64] >> (x % 64)) & 1u;
    const int bit = cell + kStripHalo;
    word = (word & ~(1u << bit)) | alive << bit;
  }
  *at = word;
}

}  // namespace tessera::cuda

#endif
