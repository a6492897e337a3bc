// The gates of a rule for words of 32 cells. The host generates what the rule needs from its
// circuit, in "rule.cuh": TESSERA_LIFE, or the end of its circuit as `tessera_tail`, or for a rule
// that is a program what rule_source.h says.
#ifndef TESSERA_GATES_CUH
#define TESSERA_GATES_CUH

#include "ptx.cuh"

#define TESSERA_FN __device__ __forceinline__
#define TESSERA_WORD unsigned int
#define TESSERA_NOT(a) (~(a))
#define TESSERA_LUT3(nn, a, b, c) tessera_lut3<nn>(a, b, c)
#include "circuit.inl"
// Bit n of 128.
#define TESSERA_BIT(n, low, high) (((n) < 64 ? (low) >> (n) % 64 : (high) >> (n) % 64) & 1)
#ifndef TESSERA_BARE_GATES
#include "rule.cuh"

#ifndef TESSERA_PLANES
#define TESSERA_PLANES 1
#endif
#ifndef TESSERA_TURNS
#define TESSERA_TURNS 1
#endif
#if !TESSERA_PROGRAM
// The next state of a word from the row codes of circuit.inl.
TESSERA_FN TESSERA_WORD tessera_next(TESSERA_WORD xa, TESSERA_WORD ma, TESSERA_WORD xb,
                                     TESSERA_WORD mb, TESSERA_WORD x, TESSERA_WORD xc,
                                     TESSERA_WORD mc) {
#if TESSERA_LIFE
  return tessera_life(xa, ma, xb, mb, x, xc, mc);
#else
  return tessera_tail(tessera_t0(xa, xb, xc), tessera_k(xa, xb, xc), tessera_u0(ma, mb, mc),
                      tessera_u1(ma, mb, mc), x);
#endif
}
#endif
#endif

#endif
