// Nothing but LOP3, to measure what the logic pipe can do. Eight independent chains per thread.
#define TESSERA_BARE_GATES
#include "gates.cuh"

extern "C" __global__ void __launch_bounds__(128) ceiling(unsigned int* out, int rounds) {
  unsigned int a[8];
#pragma unroll
  for (int i = 0; i < 8; i++) a[i] = threadIdx.x * 31u + i;
#pragma unroll 1
  for (int t = 0; t < rounds; t++) {
#pragma unroll
    for (int k = 0; k < 128; k++)
      a[k % 8] = tessera_lut3<0x96>(a[k % 8], a[(k + 1) % 8], a[(k + 3) % 8]);
  }
  unsigned int all = 0;
#pragma unroll
  for (int i = 0; i < 8; i++) all ^= a[i];
  out[blockIdx.x * 128 + threadIdx.x] = all;
}
