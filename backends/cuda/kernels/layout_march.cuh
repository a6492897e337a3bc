// Rows of words in windows; march.cu explains them.
#ifndef TESSERA_LAYOUT_MARCH_CUH
#define TESSERA_LAYOUT_MARCH_CUH

#include "kernel_params.h"

namespace tessera::cuda {

constexpr int kMarchWords = 4;  // of a lane
constexpr int kMarchHalo = 32;  // columns on either side of a window: a byte of every word
constexpr int kMarchLane = 128, kMarchUseful = 32 * kMarchLane - 2 * kMarchHalo;  // columns
#ifndef TESSERA_REACH
#define TESSERA_REACH 8
#endif
constexpr int kMarchReach = TESSERA_REACH;  // columns of the halo that a pass may need
constexpr int kMarchShare = 4;              // segments of the last window in a warp, at most
constexpr bool kRowsFirst = false;

#ifndef TESSERA_PLANES
#define TESSERA_PLANES 1
#endif

// Where a cell lies: a word of its row, and the bit.
struct MarchPlace {
  i64 word;
  int bit;
};

// The place of column `x`, or in the same window so many more columns to the right.
__device__ inline MarchPlace march_place(i64 x, int more) {
  const i64 window = x / kMarchUseful;
  const int column = (int)(x - window * kMarchUseful) + kMarchHalo + more;
  return {(window * 32 + column / kMarchLane) * kMarchWords + column % kMarchWords,
          column % kMarchLane / kMarchWords};
}

// Bit i of a byte at bit 4*i.
__device__ inline u32 march_spread(u32 byte) {
  byte = (byte | byte << 12) & 0x000F000Fu;
  byte = (byte | byte << 6) & 0x03030303u;
  return (byte | byte << 3) & 0x11111111u;
}

// A word of one plane, or of all of a cell's state together: no state but 0 has no bit.
template <bool kAll>
__device__ inline u32 march_word(const Grid& grid, const u32* at) {
  u32 word = *at;
#if TESSERA_PLANES > 1
  if (kAll) {
    for (int p = 1; p < TESSERA_PLANES; p++) word |= at[p * grid.height * grid.stride];
  }
#endif
  return word;
}

// A window holds whole canonical words, and half of one is a byte of a lane's every word.
template <bool kAll>
__device__ inline u64 march_cells(const Grid& grid, const void* cells, i64 i, i64 y) {
  const u32* row = (const u32*)cells + y * grid.stride;
  u64 bits = 0;
  for (int half = 0; half < 2; half++) {
    const MarchPlace place = march_place(64 * i, 32 * half);
    u32 cells_of_half = 0;
    for (int j = 0; j < kMarchWords; j++)
      cells_of_half |=
          march_spread(march_word<kAll>(grid, row + place.word + j) >> place.bit & 0xFF) << j;
    bits |= (u64)cells_of_half << 32 * half;
  }
  const i64 rest = grid.width - 64 * i;
  return rest >= 64 ? bits : bits & ((u64)1 << rest) - 1;
}

__device__ inline u64 layout_word(const Grid& grid, const void* cells, i64 i, i64 y) {
  return march_cells<true>(grid, cells, i, y);
}
#if TESSERA_PLANES > 1
#define TESSERA_LAYOUT_PLANE_WORD
__device__ inline u64 layout_plane_word(const Grid& grid, const void* plane, i64 i, i64 y) {
  return march_cells<false>(grid, plane, i, y);
}
#endif

__device__ inline i64 layout_pieces(const Grid&, const Box& box) {
  const i64 first = march_place(box.x, 0).word / kMarchWords,
            last = march_place(box.x + box.width - 1, 0).word / kMarchWords;
  return (last - first + 1) * kMarchWords * box.height;
}

__device__ inline void layout_paste(const Grid& grid, void* cells, const Box& box, i64 piece,
                                    const u64* staged, i64 staged_words) {
  const i64 across = layout_pieces(grid, box) / box.height, y = piece / across;
  const i64 word = march_place(box.x, 0).word / kMarchWords * kMarchWords + piece - y * across;
  const i64 lane = word / kMarchWords, window = lane / 32;
  const int first = (int)(lane - window * 32) * kMarchLane + (int)(word % kMarchWords) - kMarchHalo;
  u32* at = (u32*)cells + (box.y + y) * grid.stride + word;
  u32 bits = *at;
  for (int bit = 0; bit < 32; bit++) {
    const int column = first + bit * kMarchWords;
    const i64 x = window * kMarchUseful + column - box.x;
    if (column < 0 || column >= kMarchUseful || x < 0 || x >= box.width) continue;
    const u32 alive = (u32)(staged[y * staged_words + x / 64] >> (x % 64)) & 1u;
    bits = (bits & ~(1u << bit)) | alive << bit;
  }
  *at = bits;
}

// Rows lie behind each other, and travel as they are: in as many stretches of `rows` words as a row
// has words.
#define TESSERA_LAYOUT_OWN_ROWS
__device__ inline u32* layout_own_word(const Grid& grid, void* cells, i64 column, i64 y, i64 rows) {
  return (u32*)cells + y * grid.stride + column * rows;
}

}  // namespace tessera::cuda

#endif
