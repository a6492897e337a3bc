// Rules of files by their graph of tables (core/rules/transition_graph.h), one generation per
// launch. A thread takes a word of 32 cells: the nine words around it, in every plane of the
// states, are loaded once, and each cell walks through the graph from node to node by the states
// that it sees. A neighbourhood that the graph does not know is noted for the host, and no later
// launch does anything; so all that a generation lacks comes to light together. Where emptiness
// stays empty, only cells that see something walk.
//
// "rule.cuh" (rule_source.h) has the number of states, and the walk.
#include "kernel_params.h"
#include "layout_packed.cuh"
#include "ptx.cuh"
#include "rule.cuh"

using namespace tessera::cuda;

namespace {

// Words of the cells on the left, of the cells themselves and of those on the right, by planes.
struct Row {
  u32 words[3][TESSERA_PLANES];
};

// What word i of a row sees in row y, which may be beyond the grid.
__device__ __forceinline__ void look(const Grid& grid, const u32* cells, i64 i, i64 y, Row& row) {
  const bool beyond = y < 0 || y >= grid.height;
  if (y < 0) y += grid.height;
  if (y >= grid.height) y -= grid.height;
  const int last = (int)(grid.width % 32);
#pragma unroll
  for (int p = 0; p < TESSERA_PLANES; p++) {
    const u32* const words = cells + p * packed_plane(grid) + packed_at(grid, 0, y);
    u32 west = 0, own = 0, east = 0;
    if (TESSERA_TORUS || !beyond) {
      own = words[i];
      if (i > 0) {
        west = words[i - 1] >> 31;
      } else if (TESSERA_TORUS) {
        west = words[grid.units - 1] >> (last == 0 ? 31 : last - 1) & 1u;
      }
      if (i + 1 < grid.units) {
        east = words[i + 1] << 31;
      } else if (TESSERA_TORUS) {
        // Behind the last column comes the first one.
        east = last == 0 ? words[0] << 31 : (words[0] & 1u) << (last - 1);
      }
    }
    row.words[0][p] = own << 1 | west;
    row.words[1][p] = own;
    row.words[2][p] = own >> 1 | east;
  }
}

__device__ __forceinline__ u32 state_of(const Row& row, int dx, int bit) {
  u32 state = 0;
#pragma unroll
  for (int p = 0; p < TESSERA_PLANES; p++) state |= (row.words[dx + 1][p] >> bit & 1u) << p;
  return state;
}

__device__ __forceinline__ u32 read_now(const u32& at) { return *(const volatile u32*)&at; }

// Tells the host of a cell. Much of it may come to nothing: what is left out is missing again when
// the generation is repeated.
__device__ __forceinline__ void note(const Row (&rows)[3], int bit, i64 x, i64 y,
                                     const TableRun& run) {
  if (read_now(run.notes->stopped) > run.generation) atomicMin(&run.notes->stopped, run.generation);
  if (read_now(run.notes->count) >= run.most) return;
  const u32 slot = atomicAdd(&run.notes->count, 1u);
  if (slot >= run.most) return;
  TableCell cell = {(u32)x, (u32)y, {0, 0, 0}};
  int n = 0;
#define TESSERA_KEEP(dx, dy)                                                \
  cell.states[n / 4] |= state_of(rows[(dy) + 1], dx, bit) << (8 * (n % 4)); \
  n++;
#define TESSERA_NOTHING()
  TESSERA_WALK(TESSERA_KEEP, TESSERA_NOTHING)
  run.unknown[slot] = cell;
}

}  // namespace

extern "C" __global__ void __launch_bounds__(128)
    step(const Grid grid, const u32* from, u32* to, const TableRun run) {
  if (read_now(run.notes->stopped) < run.generation) return;
  for (i64 n = run.first + (i64)blockIdx.x * blockDim.x + threadIdx.x; n < run.end;
       n += (i64)gridDim.x * blockDim.x) {
    const i64 y = n / grid.units, i = n - y * grid.units;
    Row rows[3];
#pragma unroll
    for (int r = 0; r < 3; r++) look(grid, from, i, y + r - 1, rows[r]);
    u32 busy = ~0u;
    if (kQuiet) {
      busy = 0;
#pragma unroll
      for (int p = 0; p < TESSERA_PLANES; p++) {
#pragma unroll
        for (int r = 0; r < 3; r++)
          busy |= rows[r].words[0][p] | rows[r].words[1][p] | rows[r].words[2][p];
      }
    }
    u32 next[TESSERA_PLANES] = {};
    for (u32 rest = busy & packed_mask(grid, i); rest != 0; rest &= rest - 1) {
      const int bit = __ffs((int)rest) - 1;
      u32 node = run.root, entry = 0;
#define TESSERA_READ(dx, dy) entry = entry * kStates + state_of(rows[(dy) + 1], dx, bit);
#define TESSERA_FOLLOW() node = run.entries[node + entry], entry = 0;
      TESSERA_WALK(TESSERA_READ, TESSERA_FOLLOW)
      if (node == 0) {
        note(rows, bit, 32 * i + bit, y, run);
        continue;
      }
#pragma unroll
      for (int p = 0; p < TESSERA_PLANES; p++) next[p] |= ((node - 1) >> p & 1u) << bit;
    }
    u32* const at = to + packed_at(grid, i, y);
#pragma unroll
    for (int p = 0; p < TESSERA_PLANES; p++) at[p * packed_plane(grid)] = next[p];
  }
}

// Puts states into cells that have none yet; those of one word may come together.
extern "C" __global__ void put(const Grid grid, u32* cells, const TableCell* list, u32 count) {
  for (u32 n = blockIdx.x * blockDim.x + threadIdx.x; n < count; n += gridDim.x * blockDim.x) {
    u32* const at = cells + packed_at(grid, list[n].x / 32, list[n].y);
    for (int p = 0; p < TESSERA_PLANES; p++) {
      if (list[n].states[0] >> p & 1u) atomicOr(at + p * packed_plane(grid), 1u << list[n].x % 32);
    }
  }
}
