// 32 cells per word, rows of words contiguous. A block loads a rectangle into shared memory,
// computes T generations there between two copies and writes back the rectangle shrunk by T. A
// thread takes a group of rows of one column of words and shares the sums of three cells of a row
// between the rows above, below and its own. From Boris the Brave, "Conway's Game of Life in CUDA",
// part 2 (his last kernel). The sums are the row codes of circuit.inl.
#include "gates.cuh"
#undef TESSERA_WORD
#include "packed_margins.cuh"

using namespace tessera::cuda;

namespace {

constexpr int T = TESSERA_T, kGroup = TESSERA_ROWS, kWordsWide = 32, kRowsHigh = 8 * kGroup;
constexpr int kWordsKept = kWordsWide - 2, kRowsKept = kRowsHigh - 2 * T;
static_assert(kRowsKept > 0 && T <= 32, "the rectangle must have an inside");

}  // namespace

extern "C" __global__ void __launch_bounds__(256)
    step(const Grid grid, const u32* from, u32* to, int generations, const Part part) {
  __shared__ u32 copies[2][kRowsHigh][kWordsWide];
  const int column = (int)threadIdx.x % 32, first = (int)threadIdx.x / 32 * kGroup;
  const i64 across = (grid.units + kWordsKept - 1) / kWordsKept;
  for (i64 n = part.first + blockIdx.x; n < part.end; n += gridDim.x) {
    const i64 i = n % across * kWordsKept - 1 + column, y0 = n / across * kRowsKept - T;
    for (int r = first; r < first + kGroup; r++) {
      const bool there = i <= grid.units && y0 + r < grid.height + grid.above;
      copies[0][r][column] = there ? from[packed_at(grid, i, y0 + r)] : 0;
    }
    __syncthreads();
    const u32 inside = TESSERA_TORUS ? ~0u : i >= 0 && i < grid.units ? packed_mask(grid, i) : 0;
    for (int t = 0; t < generations; t++) {
      const auto& old = copies[t & 1];
      auto& next = copies[(t & 1) ^ 1];
      u32 x[3], m[3], centre[3];
      const auto sum = [&](int r, int k) {
        const int row = min(max(r, 0), kRowsHigh - 1);
        const u32 word = old[row][column];
        const u32 left = word << 1 | old[row][max(column - 1, 0)] >> 31;
        const u32 right = word >> 1 | old[row][min(column + 1, kWordsWide - 1)] << 31;
        centre[k] = word;
        x[k] = tessera_xor3(left, word, right);
        m[k] = tessera_maj3(left, word, right);
      };
      sum(first - 1, 0);
      sum(first, 1);
#pragma unroll
      for (int r = 0; r < kGroup; r++) {
        const int a = r % 3, b = (r + 1) % 3, c = (r + 2) % 3;
        sum(first + r + 1, c);
        u32 word = tessera_next(x[a], m[a], x[b], m[b], centre[b], x[c], m[c]);
        if (!TESSERA_TORUS) {
          const i64 y = y0 + first + r;
          word &= y >= 0 && y < grid.height ? inside : 0;
        }
        next[first + r][column] = word;
      }
      __syncthreads();
    }
    for (int r = first; r < first + kGroup; r++) {
      const i64 y = y0 + r;
      if (r < T || r >= kRowsHigh - T || y >= grid.height || column == 0 || column == 31 ||
          i >= grid.units)
        continue;
      to[packed_at(grid, i, y)] = copies[generations & 1][r][column];
    }
    __syncthreads();
  }
}
