// The gates of a rule for words of 32 cells. The host puts `tessera_next` of the rule at hand, generated from its
// circuit, into "rule.cuh".
#ifndef TESSERA_GATES_CUH
#define TESSERA_GATES_CUH

// One LOP3; the truth table kTable is indexed by 4a + 2b + c.
template <int kTable>
__device__ __forceinline__ unsigned int tessera_lut3(unsigned int a, unsigned int b, unsigned int c) {
  unsigned int d;
  asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c), "n"(kTable));
  return d;
}

#define TESSERA_FN __device__ __forceinline__
#define TESSERA_WORD unsigned int
#define TESSERA_NOT(a) (~(a))
#define TESSERA_LUT3(nn, a, b, c) tessera_lut3<nn>(a, b, c)
#include "circuit.inl"
#ifndef TESSERA_BARE_GATES
#include "rule.cuh"
#endif

#endif
