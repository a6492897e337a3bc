// A block of d x d cells, where d is the number of cells per word, one block per warp: how it is
// loaded and stored, whatever holds it in between. Fujita, Nishikori, Nakano, Ito (2015), section
// V-B. After T generations the inner (d - 2T) rows and columns are right. Columns are kept to
// multiples of 32 or 16, or of eight where 16 would waste too many of 32, so that a block writes
// whole pieces of words and none of another block.
#ifndef TESSERA_BLOCK_CUH
#define TESSERA_BLOCK_CUH

#include "word_rule.cuh"

namespace tessera::cuda {

constexpr int kSide = kCells, kDeep = TESSERA_T, kWordsALane = kSide / 32;
constexpr int kRowsKept = kSide - 2 * kDeep;
constexpr int kPiece = kRowsKept % 32 == 0 ? 32 : kRowsKept % 16 == 0 || kSide == 64 ? 16 : 8;
constexpr int kColumnsKept = kRowsKept / kPiece * kPiece;
static_assert(kColumnsKept > 0, "a block must have an inside");

template <int kBits>
struct PieceOf {
  using Type = u8;
};
template <>
struct PieceOf<16> {
  using Type = u16;
};
template <>
struct PieceOf<32> {
  using Type = u32;
};
using Piece = PieceOf<kPiece>::Type;

struct Block {
  i64 x, y;  // of its first cell; T before the first that it keeps
};

__device__ __forceinline__ i64 blocks_down(const Grid& grid) {
  return (grid.height + kRowsKept - 1) / kRowsKept;
}
__device__ __forceinline__ Block block_at(const Grid& grid, i64 n) {
  const i64 across = n / blocks_down(grid);
  return {across * kColumnsKept - kDeep, (n - across * blocks_down(grid)) * kRowsKept - kDeep};
}

// Row r of a block.
__device__ __forceinline__ Word load_row(const Grid& grid, const Word* from, const Block& block,
                                         int r) {
  const i64 y = block.y + r;
  if (y >= grid.height + grid.above) return 0;
  const i64 i = (block.x + kSide) / kSide - 1;
  const int shift = (int)(block.x - i * kSide);
  const Word low = from[packed_at(grid, i, y)] >> shift;
  return shift == 0 ? low : low | from[packed_at(grid, i + 1, y)] << (kSide - shift);
}

// The cells of row r that lie on the grid: on a plane, cells outside are dead in every generation.
__device__ __forceinline__ Word inside(const Grid& grid, const Block& block, int r) {
  if (TESSERA_TORUS) return ~(Word)0;
  const i64 y = block.y + r, left = -block.x, right = grid.width - block.x;
  if (y < 0 || y >= grid.height) return 0;
  Word mask = left > 0 ? ~(Word)0 << left : ~(Word)0;
  if (right < kSide) mask &= ((Word)1 << right) - 1;
  return mask;
}

__device__ __forceinline__ void store_row(const Grid& grid, Word* to, const Block& block, int r,
                                          Word word) {
  const i64 y = block.y + r;
  if (r < kDeep || r >= kSide - kDeep || y >= grid.height) return;
  for (int k = 0; k < kColumnsKept / kPiece; k++) {
    const i64 x = block.x + kDeep + kPiece * k;
    if (x >= grid.width) return;
    const i64 i = x / kSide;
    ((Piece*)(to + packed_at(grid, i, y)))[(x - i * kSide) / kPiece] =
        (Piece)(word >> (kDeep + kPiece * k));
  }
}

// A row of a block without neighbours outside it, where cells become wrong anyway.
__device__ __forceinline__ Triple lone(Word word) { return {word << 1, word, word >> 1}; }

}  // namespace tessera::cuda

#endif
