// A batch of universes of any size: a universe in every bit of a word, so that neighbours are
// neighbouring words and nothing is shifted. A warp steps TESSERA_ROWS rows of a column of 32
// words, which are 1024 universes, from memory to memory: one generation a launch.
#include "kernel_params.h"
#include "ptx.cuh"
#include "row_codes.cuh"

using namespace tessera::cuda;

namespace {

constexpr i64 kRows = TESSERA_ROWS;

struct Row {
  u32 left, centre, right;
};

// Row y, from -1 to height, of the three columns around j. `cells` is the lane's word 0.
__device__ __forceinline__ Row row_of(const BatchGrid& grid, const u32* cells, i64 y, i64 j) {
  const i64 width = grid.width, height = grid.height;
  if (!TESSERA_TORUS && (y < 0 || y >= height)) return {0, 0, 0};
  const u32* row = cells + (y < 0 ? height - 1 : y >= height ? 0 : y) * width * 32;
  const bool first = j == 0, last = j == width - 1;
  return {!TESSERA_TORUS && first ? 0 : row[(first ? width - 1 : j - 1) * 32], row[j * 32],
          !TESSERA_TORUS && last ? 0 : row[(last ? 0 : j + 1) * 32]};
}

__device__ __forceinline__ RowCodes codes_at(const Row& row) {
  return codes_of(row.left, row.centre, row.right);
}

}  // namespace

extern "C" __global__ void step(const BatchGrid grid, const u32* from, u32* to) {
  const i64 parts = (grid.height + kRows - 1) / kRows, count = grid.tiles * parts * grid.width;
  const i64 warps = (i64)gridDim.x * (blockDim.x / 32);
  for (i64 n = (i64)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; n < count; n += warps) {
    const i64 j = n % grid.width, part = n / grid.width % parts, tile = n / grid.width / parts;
    const i64 begin = part * kRows, end = min(begin + kRows, grid.height);
    const i64 base = tile * grid.height * grid.width * 32 + (threadIdx.x & 31);
    Row here = row_of(grid, from + base, begin, j);
    RowCodes a = codes_at(row_of(grid, from + base, begin - 1, j)), b = codes_at(here);
    for (i64 y = begin; y < end; y++) {
      const Row below = row_of(grid, from + base, y + 1, j);
      const RowCodes c = codes_at(below);
      to[base + (y * grid.width + j) * 32] = next_of(a, b, here.centre, c);
      a = b, b = c, here = below;
    }
  }
}
