// The bitwise summing technique of Fujita, Nishikori, Nakano, Ito: Efficient GPU Implementations
// for the Conway's Game of Life (2015), sections IV-B and V-A, once, for C++, CUDA and GLSL.
// Included like circuit.inl, with the same TESSERA_FN, TESSERA_WORD and TESSERA_NOT;
// TESSERA_OUT(type) is an output parameter ("type&", "out type").

// Lines 5 to 7 of Algorithm SINGLE-WORD: the sum of two numbers 0..2; five operations.
TESSERA_FN void tessera_add_pairs(TESSERA_WORD a1, TESSERA_WORD a0, TESSERA_WORD b1,
                                  TESSERA_WORD b0, TESSERA_OUT(TESSERA_WORD) s2,
                                  TESSERA_OUT(TESSERA_WORD) s1, TESSERA_OUT(TESSERA_WORD) s0) {
  s0 = a0 ^ b0;
  s1 = a1 ^ b1 ^ (a0 & b0);
  s2 = a1 & b1;
}

// Lines 11 to 15: the sum of two numbers 0..4, "four or more" in one bit; nine operations.
TESSERA_FN void tessera_add_quads(TESSERA_WORD a2, TESSERA_WORD a1, TESSERA_WORD a0,
                                  TESSERA_WORD b2, TESSERA_WORD b1, TESSERA_WORD b0,
                                  TESSERA_OUT(TESSERA_WORD) s23, TESSERA_OUT(TESSERA_WORD) s1,
                                  TESSERA_OUT(TESSERA_WORD) s0) {
  s0 = a0 ^ b0;
  TESSERA_WORD x = a0 & b0;
  TESSERA_WORD y = a1 ^ b1;
  s1 = x ^ y;
  s23 = a2 | b2 | (a1 & b1) | (x & y);
}

// Lines 17 to 20: Life from the sum of the eight neighbours; seven operations.
TESSERA_FN TESSERA_WORD tessera_life_of_sum(TESSERA_WORD x, TESSERA_WORD s23, TESSERA_WORD s1,
                                            TESSERA_WORD s0) {
  TESSERA_WORD z = TESSERA_NOT(s23) & s1;
  TESSERA_WORD two = TESSERA_NOT(s0) & z;
  TESSERA_WORD three = s0 & z;
  return (x & two) | three;
}

// Algorithm SINGLE-WORD: 34 operations. a..h are the eight neighbours of x in any order.
TESSERA_FN TESSERA_WORD tessera_single_word(TESSERA_WORD a, TESSERA_WORD b, TESSERA_WORD c,
                                            TESSERA_WORD d, TESSERA_WORD e, TESSERA_WORD f,
                                            TESSERA_WORD g, TESSERA_WORD h, TESSERA_WORD x) {
  TESSERA_WORD ad2, ad1, ad0, eh2, eh1, eh0, s23, s1, s0;
  tessera_add_pairs(a & b, a ^ b, c & d, c ^ d, ad2, ad1, ad0);
  tessera_add_pairs(e & f, e ^ f, g & h, g ^ h, eh2, eh1, eh0);
  tessera_add_quads(ad2, ad1, ad0, eh2, eh1, eh0, s23, s1, s0);
  return tessera_life_of_sum(x, s23, s1, s0);
}

// Algorithm DOUBLE-WORD: 59 operations for two vertically adjacent words k (upper) and l. a, b, c
// are the three above k; d, e its left and right; i, j those of l; f, g, h the three below l.
TESSERA_FN void tessera_double_word(TESSERA_WORD a, TESSERA_WORD b, TESSERA_WORD c, TESSERA_WORD d,
                                    TESSERA_WORD e, TESSERA_WORD i, TESSERA_WORD j, TESSERA_WORD f,
                                    TESSERA_WORD g, TESSERA_WORD h, TESSERA_WORD k, TESSERA_WORD l,
                                    TESSERA_OUT(TESSERA_WORD) next_k,
                                    TESSERA_OUT(TESSERA_WORD) next_l) {
  TESSERA_WORD m2, m1, m0, u2, u1, u0, v2, v1, v0, s23, s1, s0;
  tessera_add_pairs(d & e, d ^ e, i & j, i ^ j, m2, m1, m0);
  tessera_add_pairs(a & b, a ^ b, c & l, c ^ l, u2, u1, u0);
  tessera_add_pairs(f & g, f ^ g, h & k, h ^ k, v2, v1, v0);
  tessera_add_quads(u2, u1, u0, m2, m1, m0, s23, s1, s0);
  next_k = tessera_life_of_sum(k, s23, s1, s0);
  tessera_add_quads(v2, v1, v0, m2, m1, m0, s23, s1, s0);
  next_l = tessera_life_of_sum(l, s23, s1, s0);
}

// The count of eight neighbours in four bits, for rules other than Life; s2 and s3 are separate.
TESSERA_FN void tessera_count8(TESSERA_WORD a2, TESSERA_WORD a1, TESSERA_WORD a0, TESSERA_WORD b2,
                               TESSERA_WORD b1, TESSERA_WORD b0, TESSERA_OUT(TESSERA_WORD) s3,
                               TESSERA_OUT(TESSERA_WORD) s2, TESSERA_OUT(TESSERA_WORD) s1,
                               TESSERA_OUT(TESSERA_WORD) s0) {
  s0 = a0 ^ b0;
  TESSERA_WORD x = a0 & b0;
  TESSERA_WORD y = a1 ^ b1;
  s1 = x ^ y;
  TESSERA_WORD carry = (a1 & b1) | (x & y);
  s2 = a2 ^ b2 ^ carry;
  // Both quads are full. A full quad's lower bits are zero, so no carry can meet it.
  s3 = a2 & b2;
}
