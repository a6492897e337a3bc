// 64 cells per word, columns of words contiguous, one generation per launch: `word` is SINGLE-WORD
// of Fujita et al. 2015 (34 operations per word), `double-word` (TESSERA_PAIR) their DOUBLE-WORD,
// in which a thread takes two vertically adjacent words (59 operations). Cost: nine reads, most
// from the cache, and one write per word.
#include "walk.cuh"
#include "word_rule.cuh"

using namespace tessera::cuda;

namespace {

__device__ __forceinline__ Triple triple_at(const Grid& grid, const Word* cells, i64 at) {
  return triple(cells[at - grid.stride], cells[at], cells[at + grid.stride]);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(TESSERA_THREADS)
    step(const Grid grid, const Word* from, Word* to, const Part part) {
  constexpr int kRows = TESSERA_PAIR ? 2 : 1;
  for (Walk walk(part); walk.n < part.end; walk.next(part)) {
    const i64 y = walk.unit * kRows, at = packed_at(grid, walk.line, y);
    const Triple a = triple_at(grid, from, at - 1), b = triple_at(grid, from, at),
                 c = triple_at(grid, from, at + 1);
    if (kRows == 1 || y + 1 == grid.height) {
      to[at] = next_single(a, b, c);
    } else {
      Word upper, lower;
      next_double(a, b, c, triple_at(grid, from, at + 2), upper, lower);
      to[at] = upper;
      to[at + 1] = lower;
    }
  }
}
