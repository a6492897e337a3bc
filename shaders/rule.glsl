// The next generation of a word from row codes: Life by its own circuit, any other rule by the gates that the
// specialization constants name.

#define TESSERA_FN
#define TESSERA_WORD uint
#define TESSERA_NOT(a) (~(a))
#include "core/circuit.inl"

layout(constant_id = TESSERA_SPEC_LIFE) const uint LIFE = 1;
layout(constant_id = TESSERA_SPEC_GATES) const uint GATES = 0;
layout(constant_id = TESSERA_SPEC_GATE + 0) const uint GATE0 = 0;
layout(constant_id = TESSERA_SPEC_GATE + 1) const uint GATE1 = 0;
layout(constant_id = TESSERA_SPEC_GATE + 2) const uint GATE2 = 0;
layout(constant_id = TESSERA_SPEC_GATE + 3) const uint GATE3 = 0;
layout(constant_id = TESSERA_SPEC_GATE + 4) const uint GATE4 = 0;
layout(constant_id = TESSERA_SPEC_GATE + 5) const uint GATE5 = 0;
layout(constant_id = TESSERA_SPEC_GATE + 6) const uint GATE6 = 0;

// The function of two bits whose truth table is n at index 2b + c; n is a constant when the pipeline is made, and only
// one branch is left then.
uint lut2(uint n, uint b, uint c) {
  switch (n & 15) {
    case 0: return 0;
    case 1: return ~(b | c);
    case 2: return ~b & c;
    case 3: return ~b;
    case 4: return b & ~c;
    case 5: return ~c;
    case 6: return b ^ c;
    case 7: return ~(b & c);
    case 8: return b & c;
    case 9: return ~(b ^ c);
    case 10: return c;
    case 11: return ~b | c;
    case 12: return b;
    case 13: return b | ~c;
    case 14: return b | c;
  }
  return ~0u;
}

// The function of three bits whose truth table is n at index 4a + 2b + c.
uint lut3(uint n, uint a, uint b, uint c) {
  const uint low = n & 15, high = n >> 4 & 15;
  if (low == high) return lut2(low, b, c);
  if ((low ^ high) == 15) return a ^ lut2(low, b, c);
  if (low == 0) return a & lut2(high, b, c);
  if (high == 0) return ~a & lut2(low, b, c);
  if (low == 15) return ~a | lut2(high, b, c);
  if (high == 15) return a | lut2(low, b, c);
  return (a & lut2(high, b, c)) | (~a & lut2(low, b, c));
}

// Operands of gates: 0 .. 4 are t0, k, u0, u1 (see core/circuit.inl) and the word itself, 5 .. 10 the gates before.
#define TESSERA_OPERAND(i, v) ((i) == 0 ? v[0] : (i) == 1 ? v[1] : (i) == 2 ? v[2] : (i) == 3 ? v[3] : (i) == 4 ? v[4] : \
  (i) == 5 ? v[5] : (i) == 6 ? v[6] : (i) == 7 ? v[7] : (i) == 8 ? v[8] : (i) == 9 ? v[9] : v[10])
#define TESSERA_GATE_OF(g, v) lut3((g) & 255, TESSERA_OPERAND((g) >> 8 & 15, v), \
  TESSERA_OPERAND((g) >> 12 & 15, v), TESSERA_OPERAND((g) >> 16 & 15, v))

uint next_word(uint xa, uint ma, uint xb, uint mb, uint x, uint xc, uint mc) {
  if (LIFE != 0) return tessera_life(xa, ma, xb, mb, x, xc, mc);
  uint v[11] = uint[11](tessera_t0(xa, xb, xc), tessera_k(xa, xb, xc), tessera_u0(ma, mb, mc),
                        tessera_u1(ma, mb, mc), x, 0, 0, 0, 0, 0, 0);
  v[5] = TESSERA_GATE_OF(GATE0, v);
  if (GATES == 1) return v[5];
  v[6] = TESSERA_GATE_OF(GATE1, v);
  if (GATES == 2) return v[6];
  v[7] = TESSERA_GATE_OF(GATE2, v);
  if (GATES == 3) return v[7];
  v[8] = TESSERA_GATE_OF(GATE3, v);
  if (GATES == 4) return v[8];
  v[9] = TESSERA_GATE_OF(GATE4, v);
  if (GATES == 5) return v[9];
  v[10] = TESSERA_GATE_OF(GATE5, v);
  if (GATES == 6) return v[10];
  return TESSERA_GATE_OF(GATE6, v);
}
