// What a batch does on the device besides stepping: soups, canonical words in and out, surveys.
#include "kernel_params.h"
#include "ptx.cuh"
#include "soup.cuh"

using namespace tessera::cuda;

namespace {

__device__ __forceinline__ i64 thread_index() { return (i64)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ i64 thread_count() { return (i64)gridDim.x * blockDim.x; }

// Where a row of a set of universes begins: its word 0.
__device__ __forceinline__ i64 row_at(const BatchGrid& grid, i64 set, i64 y) {
  const i64 in_set = y / grid.rows;  // of the set's lanes
  const i64 tile = set / grid.sets * grid.warps + in_set / grid.lanes;
  const i64 lane = set % grid.sets * grid.lanes + in_set % grid.lanes;
  return (tile * grid.rows + y % grid.rows) * grid.columns * 32 + lane;
}

}  // namespace

// Canonical words of all universes, one after the other, from soups of consecutive seeds.
extern "C" __global__ void make_soups(const BatchGrid grid, u64* staged, u64 seed, u32 density) {
  const i64 one = grid.words * grid.height, count = one * grid.universes;
  const u32 rest = (u32)(grid.width % 64);
  for (i64 n = thread_index(); n < count; n += thread_count()) {
    const i64 universe = n / one, index = n % one;
    u64 word = soup_word((u64)index, seed + (u64)universe, density);
    if (rest != 0 && index % grid.words == grid.words - 1) word &= ((u64)1 << rest) - 1;
    staged[n] = word;
  }
}

// Canonical words become the batch's.
extern "C" __global__ void pack(const BatchGrid grid, const u64* staged, u32* cells) {
  const i64 count = grid.tiles * grid.rows * grid.columns * 32;
  for (i64 n = thread_index(); n < count; n += thread_count()) {
    const u32 lane = (u32)(n % 32), set_of_warp = lane / grid.lanes;
    const i64 column = n / 32 % grid.columns, row = n / 32 / grid.columns % grid.rows,
              tile = n / 32 / grid.columns / grid.rows;
    const i64 set = tile / grid.warps * grid.sets + set_of_warp;
    const i64 y = ((tile % grid.warps) * grid.lanes + lane % grid.lanes) * grid.rows + row;
    u32 word = 0;
    for (u32 bit = 0; bit < 32; bit++) {
      const i64 universe = set * grid.per_word + bit % grid.per_word;
      const i64 x = (i64)(bit / grid.per_word) * grid.columns + column;
      if (set_of_warp >= grid.sets || universe >= grid.universes || x >= grid.width) continue;
      const u64 from = staged[(universe * grid.height + y) * grid.words + x / 64];
      word |= (u32)(from >> x % 64 & 1) << bit;
    }
    cells[n] = word;
  }
}

// And back: the canonical words of `universes` universes from `first` on.
extern "C" __global__ void unpack(const BatchGrid grid, const u32* cells, u64* staged, i64 first,
                                  i64 universes) {
  const i64 one = grid.words * grid.height, count = one * universes;
  for (i64 n = thread_index(); n < count; n += thread_count()) {
    const i64 universe = first + n / one, y = n % one / grid.words, i = n % grid.words;
    const i64 set = universe / grid.per_word, row = row_at(grid, set, y);
    const u32 bit = (u32)(universe % grid.per_word);
    const i64 end = min(grid.width - 64 * i, (i64)64);
    i64 strip = 64 * i / grid.columns, column = 64 * i % grid.columns;
    u64 word = 0;
    for (i64 b = 0; b < end; b++) {
      const u32 shift = (u32)strip * grid.per_word + bit;
      word |= (u64)(cells[row + column * 32] >> shift & 1) << b;
      if (++column == grid.columns) column = 0, strip++;
    }
    staged[n] = word;
  }
}

// The surveys of all universes from their canonical words, a warp for each.
extern "C" __global__ void survey(const BatchGrid grid, const u64* staged, BatchFinding* findings) {
  const i64 one = grid.words * grid.height;
  const u32 lane = threadIdx.x & 31;
  for (i64 universe = thread_index() / 32; universe < grid.universes;
       universe += thread_count() / 32) {
    BatchFinding found{0, 0, grid.width, grid.height, -1, -1};
    for (i64 n = lane; n < one; n += 32) {
      const u64 word = staged[universe * one + n];
      if (word == 0) continue;
      const i64 y = n / grid.words, i = n % grid.words;
      found.population += __popcll(word);
      found.hash += mix(word ^ mix((u64)i << 32 | (u64)y));
      found.xmin = min(found.xmin, 64 * i + __ffsll((i64)word) - 1);
      found.xmax = max(found.xmax, 64 * i + 63 - __clzll((i64)word));
      found.ymin = min(found.ymin, y);
      found.ymax = max(found.ymax, y);
    }
    for (int apart = 16; apart > 0; apart /= 2) {
      found.hash += __shfl_down_sync(~0u, found.hash, apart);
      found.population += __shfl_down_sync(~0u, found.population, apart);
      found.xmin = min(found.xmin, __shfl_down_sync(~0u, found.xmin, apart));
      found.ymin = min(found.ymin, __shfl_down_sync(~0u, found.ymin, apart));
      found.xmax = max(found.xmax, __shfl_down_sync(~0u, found.xmax, apart));
      found.ymax = max(found.ymax, __shfl_down_sync(~0u, found.ymax, apart));
    }
    if (lane == 0) findings[universe] = found;
  }
}
