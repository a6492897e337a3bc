// Algorithms SINGLE-WORD and DOUBLE-WORD of Fujita, Nishikori, Nakano, Ito (2015) for words of the
// layout, for Life as published and for any other rule by the count of the eight neighbours.
#ifndef TESSERA_WORD_RULE_CUH
#define TESSERA_WORD_RULE_CUH

#include "packed_margins.cuh"

namespace tessera::cuda {

#define TESSERA_FN __device__ __forceinline__
#define TESSERA_WORD Word
#define TESSERA_NOT(a) (~(a))
#define TESSERA_OUT(type) type&
#include "bitwise_sum.inl"

constexpr bool kIsLife = TESSERA_BIRTH == 8 && TESSERA_SURVIVAL == 12;

struct Quad {
  Word s2, s1, s0;
};
__device__ __forceinline__ Quad quad(Word a, Word b, Word c, Word d) {
  Quad q;
  tessera_add_pairs(a & b, a ^ b, c & d, c ^ d, q.s2, q.s1, q.s0);
  return q;
}

// Any rule from the count of the eight neighbours: one mask per count that the rule names.
__device__ __forceinline__ Word rule_of(Word x, const Quad& p, const Quad& q) {
  Word s3, s2, s1, s0, next = 0;
  tessera_count8(p.s2, p.s1, p.s0, q.s2, q.s1, q.s0, s3, s2, s1, s0);
#pragma unroll
  for (int n = 0; n <= 8; n++) {
    const bool birth = TESSERA_BIRTH >> n & 1, survival = TESSERA_SURVIVAL >> n & 1;
    if (!birth && !survival) continue;
    const Word equal =
        (n & 1 ? s0 : ~s0) & (n & 2 ? s1 : ~s1) & (n & 4 ? s2 : ~s2) & (n & 8 ? s3 : ~s3);
    next |= equal & (birth && survival ? ~(Word)0 : birth ? ~x : x);
  }
  return next;
}

// A word with its left and right neighbours.
struct Triple {
  Word west, centre, east;
};

// A word of cells whose row continues in the words before and after it.
__device__ __forceinline__ Triple triple(Word before, Word word, Word after) {
  return {word << 1 | before >> (kCells - 1), word, word >> 1 | after << (kCells - 1)};
}

__device__ __forceinline__ Word next_single(const Triple& a, const Triple& b, const Triple& c) {
  if (kIsLife) {
    return tessera_single_word(a.west, a.centre, a.east, b.west, b.east, c.west, c.centre, c.east,
                               b.centre);
  }
  return rule_of(b.centre, quad(a.west, a.centre, a.east, b.west),
                 quad(b.east, c.west, c.centre, c.east));
}

__device__ __forceinline__ void next_double(const Triple& a, const Triple& b, const Triple& c,
                                            const Triple& d, Word& upper, Word& lower) {
  if (kIsLife) {
    tessera_double_word(a.west, a.centre, a.east, b.west, b.east, c.west, c.east, d.west, d.centre,
                        d.east, b.centre, c.centre, upper, lower);
    return;
  }
  const Quad sides = quad(b.west, b.east, c.west, c.east);
  upper = rule_of(b.centre, quad(a.west, a.centre, a.east, c.centre), sides);
  lower = rule_of(c.centre, quad(d.west, d.centre, d.east, b.centre), sides);
}

}  // namespace tessera::cuda

#endif
