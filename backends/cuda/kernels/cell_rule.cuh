// A rule as masks, for kernels that count neighbours of one cell, and the table of 4x4 cells that
// some of them use.
#ifndef TESSERA_CELL_RULE_CUH
#define TESSERA_CELL_RULE_CUH

__device__ __forceinline__ unsigned int next_cell(unsigned int alive, unsigned int neighbours) {
  return ((alive ? TESSERA_SURVIVAL : TESSERA_BIRTH) >> neighbours) & 1u;
}

// Entry `at`: the next states of the inner 2x2 of 4x4 cells whose bits are at's, row by row.
__device__ inline unsigned int inner_four(unsigned int at) {
  unsigned int out = 0;
  for (int k = 0; k < 4; k++) {
    const int row = 1 + k / 2, column = 1 + k % 2;
    unsigned int count = 0;
    for (int dy = -1; dy <= 1; dy++) {
      for (int dx = -1; dx <= 1; dx++) {
        if (dy != 0 || dx != 0) count += at >> (4 * (row + dy) + column + dx) & 1u;
      }
    }
    out |= next_cell(at >> (4 * row + column) & 1u, count) << k;
  }
  return out;
}

extern "C" __global__ void make_table(unsigned char* table) {
  const unsigned int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < 65536) table[at] = (unsigned char)inner_four(at);
}

#endif
