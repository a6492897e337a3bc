// The circuits of Life, once, for C++, CUDA and GLSL.
//
// This file has no include guard on purpose: it is included once for every kind of word, within the
// namespace and target attributes of that place. Before including it define
//
//   TESSERA_FN        what stands before a function: "template <class W> inline",
//                     "__device__ __forceinline__", nothing at all in GLSL
//   TESSERA_WORD      the type of a word of cells: W, unsigned, uint; it needs the operators & | ^
//   TESSERA_NOT(a)    the complement of a word
//   TESSERA_LUT3(nn,a,b,c)
//                     optional: the function of three bits whose truth table is 0xnn at index
//                     4a+2b+c, for machines that have it as one instruction (LOP3, vpternlog); nn
//                     is a literal
//
// Row codes. For a word x of a row with its horizontal neighbours l and r (cells shifted by one): X
// = l^x^r and M = maj(l,x,r) hold the number of live cells among the three, X + 2M. The codes of a
// row serve the rows above, below and its own. a is the row above, b the word's own row, c the row
// below.

#ifdef TESSERA_LUT3
#define TESSERA_GATE(nn, a, b, c, formula) TESSERA_LUT3(nn, a, b, c)
#else
#define TESSERA_GATE(nn, a, b, c, formula) (formula)
#endif

TESSERA_FN TESSERA_WORD tessera_xor3(TESSERA_WORD a, TESSERA_WORD b, TESSERA_WORD c) {
  return TESSERA_GATE(0x96, a, b, c, a ^ b ^ c);
}

TESSERA_FN TESSERA_WORD tessera_maj3(TESSERA_WORD a, TESSERA_WORD b, TESSERA_WORD c) {
  return TESSERA_GATE(0xE8, a, b, c, ((a ^ b) & (a ^ c)) ^ a);
}

// Six gates from row codes to the next generation of Life. With the two gates of the codes, this
// makes eight per word. Found by exhaustive search; seven are impossible with two codes per row and
// one output at a time.
TESSERA_FN TESSERA_WORD tessera_life(TESSERA_WORD xa, TESSERA_WORD ma, TESSERA_WORD xb,
                                     TESSERA_WORD mb, TESSERA_WORD x, TESSERA_WORD xc,
                                     TESSERA_WORD mc) {
  TESSERA_WORD g0 = TESSERA_GATE(0x6C, xc, ma, xa, ma ^ (xc & xa));
  TESSERA_WORD g1 = tessera_xor3(xc, xb, xa);
  TESSERA_WORD g2 = TESSERA_GATE(0xC8, g1, mb, xb, mb & (g1 | xb));
  // Exactly one of g2, g0, mc.
  TESSERA_WORD g3 = TESSERA_GATE(0x16, g2, g0, mc, (g2 ^ g0 ^ mc) & TESSERA_NOT(g2 & g0));
  TESSERA_WORD g4 = TESSERA_GATE(0xD0, g3, g0, ma, g3 & (g0 | TESSERA_NOT(ma)));
  return TESSERA_GATE(0xE0, g4, g1, x, g4 & (g1 | x));
}

// The same from the word's own neighbours l and r instead of its row codes, also eight gates per
// word. The circuit is that of binary-banter/fast-game-of-life. Of about 800 spellings, NVIDIA's
// GLSL compiler makes the fewest instructions from this one. Its end, from the parity p and the
// majority q of xa, l and r, is a function of its own for machines on which a parity is cheaper
// than a gate.
TESSERA_FN TESSERA_WORD tessera_life_end(TESSERA_WORD p, TESSERA_WORD q, TESSERA_WORD ma,
                                         TESSERA_WORD x, TESSERA_WORD xc, TESSERA_WORD mc) {
  TESSERA_WORD m0 = TESSERA_GATE(0x3E, xc, p, x, (xc ^ p) | (x & TESSERA_NOT(xc)));
  TESSERA_WORD m1 = TESSERA_GATE(0x5B, m0, x, q, (m0 ^ q) | (TESSERA_NOT(x) & TESSERA_NOT(q)));
  TESSERA_WORD m2 =
      TESSERA_GATE(0x91, m1, mc, ma, TESSERA_NOT((mc ^ ma) | TESSERA_NOT(m1 | TESSERA_NOT(ma))));
  return TESSERA_GATE(0x58, m2, m0, m1, ((m2 | m0) & m1) ^ m2);
}

TESSERA_FN TESSERA_WORD tessera_life_sides(TESSERA_WORD xa, TESSERA_WORD ma, TESSERA_WORD l,
                                           TESSERA_WORD x, TESSERA_WORD r, TESSERA_WORD xc,
                                           TESSERA_WORD mc) {
  return tessera_life_end(tessera_xor3(xa, l, r), tessera_maj3(xa, l, r), ma, x, xc, mc);
}

// Every outer-totalistic rule is a function of these and x: the number of live cells among the nine
// is t0 + 2k + 2u0 + 4u1. Four gates.
TESSERA_FN TESSERA_WORD tessera_t0(TESSERA_WORD xa, TESSERA_WORD xb, TESSERA_WORD xc) {
  return tessera_xor3(xa, xb, xc);
}
TESSERA_FN TESSERA_WORD tessera_k(TESSERA_WORD xa, TESSERA_WORD xb, TESSERA_WORD xc) {
  return tessera_maj3(xa, xb, xc);
}
TESSERA_FN TESSERA_WORD tessera_u0(TESSERA_WORD ma, TESSERA_WORD mb, TESSERA_WORD mc) {
  return tessera_xor3(ma, mb, mc);
}
TESSERA_FN TESSERA_WORD tessera_u1(TESSERA_WORD ma, TESSERA_WORD mb, TESSERA_WORD mc) {
  return tessera_maj3(ma, mb, mc);
}

#undef TESSERA_GATE
