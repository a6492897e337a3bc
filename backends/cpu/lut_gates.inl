// Part of gate_vectors.cpp and box_kernel.cpp, compiled for each instruction set: gates by their
// tables. Needs Vec and Tag.

// A function of two inputs: bit 2a + b of the table.
template <int kTable>
HWY_INLINE Vec lut2(Vec a, Vec b) {
  if constexpr (kTable == 0x0) return hn::Zero(Tag());
  if constexpr (kTable == 0x8) return hn::And(a, b);
  if constexpr (kTable == 0x4) return hn::AndNot(b, a);
  if constexpr (kTable == 0x2) return hn::AndNot(a, b);
  if constexpr (kTable == 0xC) return a;
  if constexpr (kTable == 0xA) return b;
  if constexpr (kTable == 0x6) return hn::Xor(a, b);
  if constexpr (kTable == 0xE) return hn::Or(a, b);
  if constexpr (kTable & 1) return hn::Not(lut2<15 - kTable>(a, b));
}

// A function of three inputs: bit 4a + 2b + c of the table.
template <int kTable>
HWY_INLINE Vec lut3(Vec a, Vec b, Vec c) {
#if HWY_TARGET <= HWY_AVX3
  return Vec{_mm512_ternarylogic_epi64(a.raw, b.raw, c.raw, kTable)};
#else
  constexpr int kLow = kTable & 15, kHigh = kTable >> 4;  // for a = 0 and a = 1
  if constexpr (kLow == kHigh) return lut2<kLow>(b, c);
  if constexpr (kLow == 15 - kHigh) return hn::Xor(a, lut2<kLow>(b, c));
  if constexpr (kLow == 0) return hn::And(a, lut2<kHigh>(b, c));
  if constexpr (kHigh == 0) return hn::AndNot(a, lut2<kLow>(b, c));
  if constexpr (kHigh == 15) return hn::Or(a, lut2<kLow>(b, c));
  return hn::Xor(lut2<kLow>(b, c), hn::And(a, lut2<kLow ^ kHigh>(b, c)));
#endif
}
