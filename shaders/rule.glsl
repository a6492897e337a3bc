// The next generation of a word from row codes: Life by its own circuit, any other rule by the
// gates that the specialization constants name.

#define TESSERA_FN
#define TESSERA_WORD uint
#define TESSERA_NOT(a) (~(a))
#include "core/rules/circuit.inl"
#include "shaders/gate.inl"

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

// An input of a gate: 0 .. 4 are t0, k, u0, u1 (see core/rules/circuit.inl) and the word itself, 5
// .. 10 the previous gates. Bit 4 of `n` complements it.
#define TESSERA_INPUT(n) (v[(n) & 15] ^ spread(n, 4))

// A gate as backends/vulkan/spelled_gate.h packs it.
#define TESSERA_GATE_OF(g)                                                                                     \
  (gate_shape((g) & 15, TESSERA_INPUT((g) >> 5), TESSERA_INPUT((g) >> 10), TESSERA_INPUT((g) >> 15)) ^ \
   spread(g, 4))

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
  return v[4 + GATES];  // gates after the last one are unused and vanish
}

// The next generation of x, between l and r, from the codes of the row above (a), its own (b) and
// the row below (c).
uint next_word(uint xa, uint ma, uint xb, uint mb, uint l, uint x, uint r, uint xc, uint mc) {
  if (LIFE != 0) return tessera_life_sides(xa, ma, l, x, r, xc, mc);
  return rule_tail(tessera_t0(xa, xb, xc), tessera_k(xa, xb, xc), tessera_u0(ma, mb, mc), tessera_u1(ma, mb, mc), x);
}
