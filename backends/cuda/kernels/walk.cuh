// How threads go through the units of a Part: from thread to thread of a launch, then on by as many
// as there are threads. One division finds where a thread begins; the host knows how far a stride
// leads, so that units cost no division each, which for a byte a cell would be dearer than the
// cell.
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
