// One byte per cell, one thread per cell (or several cells per thread where there are more cells
// than threads), the next state as a Boolean expression. From the course report "Game of Life en
// CUDA" (2026), versions 1 (`byte`) and 2 (`byte-branch`, TESSERA_BRANCH: the same with if and
// else). Cost: nine reads, most from the cache, and one write per cell and generation.
#include "cell_rule.cuh"
#include "packed_margins.cuh"
#include "walk.cuh"

using namespace tessera::cuda;

extern "C" __global__ void __launch_bounds__(TESSERA_THREADS)
    step(const Grid grid, const u8* from, u8* to, const Part part) {
  for (Walk walk(part); walk.n < part.end; walk.next(part)) {
    const i64 at = packed_at(grid, walk.unit, walk.line), s = grid.stride;
    const u32 alive = from[at];
    const u32 neighbours = from[at - s - 1] + from[at - s] + from[at - s + 1] + from[at - 1] +
                           from[at + 1] + from[at + s - 1] + from[at + s] + from[at + s + 1];
#if TESSERA_BRANCH
    to[at] = 0;
    if (alive == 0 && (TESSERA_BIRTH >> neighbours & 1)) {
      to[at] = 1;
    } else if (alive == 1 && (TESSERA_SURVIVAL >> neighbours & 1)) {
      to[at] = 1;
    }
#else
    to[at] = (u8)((TESSERA_BIRTH >> neighbours & (alive ^ 1u)) |
                  (TESSERA_SURVIVAL >> neighbours & alive));
#endif
  }
}
