// Part of strip_kernel.cpp and tile_kernel.cpp, compiled for each instruction set: gates over
// vectors, core/rules/circuit.inl made of them, and the end of any rule's circuit. Needs Vec and
// Tag.

// vpternlog where the processor has it; the formulas of core/rules/circuit.inl elsewhere. The
// instruction replaces its first operand: in Life's circuit the last one of the parity of three
// rows is needed by nothing else, and a copy of another one would take as long as a gate.
#if HWY_TARGET <= HWY_AVX3
template <int kTable>
HWY_INLINE Vec lut3(Vec a, Vec b, Vec c) {
  if constexpr (kTable == 0x96) return Vec{_mm512_ternarylogic_epi64(c.raw, b.raw, a.raw, kTable)};
  return Vec{_mm512_ternarylogic_epi64(a.raw, b.raw, c.raw, kTable)};
}
#define TESSERA_LUT3(nn, a, b, c) lut3<nn>(a, b, c)
#endif
#define TESSERA_FN HWY_INLINE
#define TESSERA_WORD Vec
#define TESSERA_NOT(a) hn::Not(a)
#include "core/rules/circuit.inl"
#undef TESSERA_FN
#undef TESSERA_WORD
#undef TESSERA_NOT
#undef TESSERA_LUT3

// where ? a : b, bit by bit.
HWY_INLINE Vec choose(Vec where, Vec a, Vec b) {
#if HWY_TARGET <= HWY_AVX3
  return lut3<0xCA>(where, a, b);
#else
  return hn::Or(hn::And(where, a), hn::AndNot(where, b));
#endif
}

// Any other rule. Its next state depends on x, t0 and p = k + u0 + 2 u1, the nine-cell total being
// t0 + 2p. For each (x, t0) that is one of 32 functions of p = 0 .. 4, each of them one gate of (k,
// u0, u1): bit p of kFunction.
template <int kFunction>
HWY_INLINE Vec of_total(Vec k, Vec u0, Vec u1) {
  constexpr bool f0 = kFunction & 1, f1 = kFunction & 2, f2 = kFunction & 4, f3 = kFunction & 8,
                 f4 = kFunction & 16;
#if HWY_TARGET <= HWY_AVX3
  constexpr int kTable =
      f0 << 0 | f2 << 1 | f1 << 2 | f3 << 3 | f1 << 4 | f3 << 5 | f2 << 6 | f4 << 7;
  return lut3<kTable>(k, u0, u1);
#else
  // f(p) for u1 = 0 and for u1 = 1, each from "one of k, u0" and "both".
  const Vec one = k ^ u0, both = k & u0;
  const auto pick = [&](bool none_set, bool one_set, bool both_set) HWY_ATTR {
    Vec v = hn::Zero(Tag());
    if (one_set) v = v | one;
    if (both_set) v = v | both;
    if (none_set) v = v | hn::Not(one | both);
    return v;
  };
  return hn::AndNot(u1, pick(f0, f1, f2)) | (u1 & pick(f2, f3, f4));
#endif
}

// Rows that share one dispatch on the rule's functions: the branches cost little when four rows
// follow each.
constexpr int kBlock = 4;

struct Block {
  Vec v[kBlock];
};

template <int kFunction>
HWY_INLINE void apply_function(const Block& k, const Block& u0, const Block& u1, Block& out) {
  TESSERA_UNROLL
  for (int i = 0; i < kBlock; i++) out.v[i] = of_total<kFunction>(k.v[i], u0.v[i], u1.v[i]);
}

TESSERA_INLINE void apply(int function, const Block& k, const Block& u0, const Block& u1,
                          Block& out) {
#define TESSERA_CASE(f)                \
  case f:                              \
    apply_function<f>(k, u0, u1, out); \
    break;
#define TESSERA_CASES(f) TESSERA_CASE(f) TESSERA_CASE(f + 1) TESSERA_CASE(f + 2) TESSERA_CASE(f + 3)
  switch (function & 31) {
    TESSERA_CASES(0)
    TESSERA_CASES(4)
    TESSERA_CASES(8)
    TESSERA_CASES(12)
    TESSERA_CASES(16)
    TESSERA_CASES(20)
    TESSERA_CASES(24)
    TESSERA_CASES(28)
  }
#undef TESSERA_CASES
#undef TESSERA_CASE
}

// The four functions of a rule, indexed by x and t0.
struct RuleFunctions {
  int of[2][2];

  explicit RuleFunctions(const Rule& rule) {
    for (int x = 0; x < 2; x++) {
      for (int t0 = 0; t0 < 2; t0++) {
        int function = 0;
        for (int p = 0; p <= 4; p++) {
          const int neighbours = t0 + 2 * p - x;
          if (neighbours >= 0 && neighbours <= 8 && rule.next(x, neighbours)) function |= 1 << p;
        }
        of[x][t0] = function;
      }
    }
  }
};
