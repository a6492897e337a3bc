// The columns beside the left and right edge of a torus whose doors do not open into each other;
// march.cu explains the words.
#ifndef TESSERA_MARCH_SIDES_CUH
#define TESSERA_MARCH_SIDES_CUH

#include "march_posts.cuh"

// Before a pass on a torus: the columns beside the left and right edge. Four threads a row, each
// for the columns of one word of four, so that none changes a word of another.
extern "C" __global__ void fill_sides(const Grid grid, u32* cells, const u32 rows) {
  constexpr int kCells = 2 * kMarchReach / W;
  wait_for_last_launch();
  for (i64 n = (i64)blockIdx.x * blockDim.x + threadIdx.x; n < (i64)rows * W;
       n += (i64)gridDim.x * blockDim.x) {
    u32* row = cells + n / W * grid.stride;
    MarchPlace places[kCells];
    u32 alive[kCells];
#pragma unroll
    for (int i = 0; i < kCells; i++) {
      const bool east = i >= kCells / 2;
      // Columns from the edge on, of those that lie in word n % W.
      const int edge = east ? (int)(((n - grid.width) % W + W) % W) : (int)(n % W) - kMarchReach;
      const int more = edge + i % (kCells / 2) * W;
      i64 from = more % grid.width;
      if (from < 0) from += grid.width;
      const MarchPlace source = march_place(from, 0);
      places[i] = east ? march_place(grid.width - 1, more + 1) : march_place(0, more);
      alive[i] = row[source.word] >> source.bit & 1;
    }
#pragma unroll
    for (int i = 0; i < kCells; i++) {
      u32* word = row + places[i].word;
      *word = (*word & ~(1u << places[i].bit)) | alive[i] << places[i].bit;
    }
  }
}

#endif
