// How threads walk through the units of a Part: consecutive threads take consecutive units, and
// then every thread skips as many units as there are threads. One division finds where a thread
// begins. The host computes the stride, so that further units need no division, which would cost
// more than the cell in a kernel with one byte per cell.
#ifndef TESSERA_WALK_CUH
#define TESSERA_WALK_CUH

#include "kernel_params.h"

namespace tessera::cuda {

struct Walk {
  i64 n, line, unit;  // unit `unit` of line `line` is number n

  __device__ __forceinline__ explicit Walk(const Part& part) {
    n = part.first + (i64)blockIdx.x * blockDim.x + threadIdx.x;
    line = n / part.units_a_line;
    unit = n - line * part.units_a_line;
  }

  __device__ __forceinline__ void next(const Part& part) {
    n += (i64)gridDim.x * blockDim.x;
    line += part.stride_lines;
    unit += part.stride_units;
    if (unit >= part.units_a_line) {
      unit -= part.units_a_line;
      line++;
    }
  }
};

}  // namespace tessera::cuda

#endif
