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

// All bits of a word equal to bit i of a constant.
uint spread(uint n, uint i) { return 0u - (n >> i & 1u); }

// The function of three bits whose truth table is n at index 4a + 2b + c, as a sum modulo 2 of products (Reed, Muller):
// its coefficients are constants when the pipeline is made, so that nothing but the terms it has is left, and there is
// nothing to branch on.
uint lut3(uint n, uint a, uint b, uint c) {
  const uint pairs = n ^ (n << 1 & 0xAAu);
  const uint quads = pairs ^ (pairs << 2 & 0xCCu);
  const uint terms = quads ^ (quads << 4 & 0xF0u);
  const uint without_a = spread(terms, 0) ^ (c & spread(terms, 1)) ^ (b & (spread(terms, 2) ^ (c & spread(terms, 3))));
  const uint with_a = spread(terms, 4) ^ (c & spread(terms, 5)) ^ (b & (spread(terms, 6) ^ (c & spread(terms, 7))));
  return without_a ^ (a & with_a);
}

// A gate reads operands 0 .. 4, t0, k, u0, u1 (see core/circuit.inl) and the word itself, or 5 .. 10, the gates before.
#define TESSERA_GATE_OF(g) lut3((g) & 255, v[(g) >> 8 & 15], v[(g) >> 12 & 15], v[(g) >> 16 & 15])

// The end of any other rule's circuit.
uint rule_tail(uint t0, uint k, uint u0, uint u1, uint x) {
  uint v[12];
  v[0] = t0;
  v[1] = k;
  v[2] = u0;
  v[3] = u1;
  v[4] = x;
  v[5] = TESSERA_GATE_OF(GATE0);
  v[6] = TESSERA_GATE_OF(GATE1);
  v[7] = TESSERA_GATE_OF(GATE2);
  v[8] = TESSERA_GATE_OF(GATE3);
  v[9] = TESSERA_GATE_OF(GATE4);
  v[10] = TESSERA_GATE_OF(GATE5);
  v[11] = TESSERA_GATE_OF(GATE6);
  return v[4 + GATES];  // gates behind the last one have no use and vanish
}

// The next generation of x, between l and r, from the codes of the row above (a), its own (b) and the row below (c).
uint next_word(uint xa, uint ma, uint xb, uint mb, uint l, uint x, uint r, uint xc, uint mc) {
  if (LIFE != 0) return tessera_life_sides(xa, ma, l, x, r, xc, mc);
  return rule_tail(tessera_t0(xa, xb, xc), tessera_k(xa, xb, xc), tessera_u0(ma, mb, mc), tessera_u1(ma, mb, mc), x);
}
