// Part of tile_kernel.cpp, compiled for each instruction set: the generations of a step, in vectors
// of half the width where those hold all that lives.

#if HWY_TARGET <= HWY_AVX3
// Lanes 8 rows each: a window whose live rows, and what they may reach, lie in four lanes (a
// glider, as a rule) is stepped in vectors of four. A third of the time of a whole window on
// processors that halve 512-bit operations.
TESSERA_INLINE void half_life_generation(__m256i (&w)[8]) {
  const auto code = [](__m256i v, __m256i& x, __m256i& m) HWY_ATTR {
    const __m256i left = _mm256_slli_epi64(v, 1), right = _mm256_srli_epi64(v, 1);
    x = _mm256_ternarylogic_epi64(left, v, right, 0x96);
    m = _mm256_ternarylogic_epi64(left, v, right, 0xE8);
  };
  const __m256i zero = _mm256_setzero_si256();
  __m256i x0, m0, x7, m7;
  code(w[7], x7, m7);
  code(w[0], x0, m0);
  __m256i xa = _mm256_alignr_epi64(x7, zero, 3), ma = _mm256_alignr_epi64(m7, zero, 3);
  __m256i xb = x0, mb = m0, xc, mc;
  TESSERA_UNROLL
  for (int j = 0; j < 8; j++) {
    if (j < 6) {
      code(w[j + 1], xc, mc);
    } else if (j == 6) {
      xc = x7, mc = m7;
    } else {
      xc = _mm256_alignr_epi64(zero, x0, 1), mc = _mm256_alignr_epi64(zero, m0, 1);
    }
    // tessera_life of circuit.inl.
    const __m256i g0 = _mm256_ternarylogic_epi64(xc, ma, xa, 0x6C);
    const __m256i g1 = _mm256_ternarylogic_epi64(xc, xb, xa, 0x96);
    const __m256i g2 = _mm256_ternarylogic_epi64(g1, mb, xb, 0xC8);
    const __m256i g3 = _mm256_ternarylogic_epi64(g2, g0, mc, 0x16);
    const __m256i g4 = _mm256_ternarylogic_epi64(g3, g0, ma, 0xD0);
    w[j] = _mm256_ternarylogic_epi64(g4, g1, w[j], 0xE0);
    xa = xb, ma = mb, xb = xc, mb = mc;
  }
}

// Steps a window that is empty but for a few lanes; false, and nothing is done, when it is not.
TESSERA_INLINE bool step_half(Window& w, int generations) {
  __m512i any = w.v[0][0].raw;
  TESSERA_UNROLL
  for (int j = 1; j < 8; j++) any = _mm512_or_si512(any, w.v[j][0].raw);
  const unsigned lanes = _mm512_test_epi64_mask(any, any);
  const int low = std::countr_zero(lanes), high = 31 - std::countl_zero(lanes);
  if (high - low > 3) return false;
  unsigned low_rows = 0, high_rows = 0;
  TESSERA_UNROLL
  for (int j = 0; j < 8; j++) {
    const unsigned mask = _mm512_test_epi64_mask(w.v[j][0].raw, w.v[j][0].raw);
    low_rows |= (mask >> low & 1u) << j;
    high_rows |= (mask >> high & 1u) << j;
  }
  const int top = std::max(8 * low + std::countr_zero(low_rows) - generations, 0);
  const int bottom = std::min(8 * high + 31 - std::countl_zero(high_rows) + generations, 63);
  const int lane = std::min(top / 8, 4);
  if (bottom >= 8 * lane + 32) return false;
  const __m512i iota = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
  const __m512i there = _mm512_add_epi64(iota, _mm512_set1_epi64(lane));
  const __m512i back = _mm512_sub_epi64(iota, _mm512_set1_epi64(lane));
  __m256i half[8];
  TESSERA_UNROLL
  for (int j = 0; j < 8; j++) {
    half[j] = _mm512_castsi512_si256(_mm512_permutexvar_epi64(there, w.v[j][0].raw));
  }
  for (int g = 0; g < generations; g++) half_life_generation(half);
  const auto kept = static_cast<__mmask8>(15u << lane);
  TESSERA_UNROLL
  for (int j = 0; j < 8; j++) {
    w.v[j][0] = Vec{_mm512_maskz_permutexvar_epi64(kept, back, _mm512_castsi256_si512(half[j]))};
  }
  return true;
}
#endif

template <bool kLife>
TESSERA_INLINE void step_window(Window& w, int generations, const RuleFunctions& rule) {
  if constexpr (kLife) {
#if HWY_TARGET <= HWY_AVX3
    if (step_half(w, generations)) return;
#endif
    for (int g = 0; g < generations; g++) life_generation(w);
  } else {
    for (int g = 0; g < generations; g++) rule_generation(w, rule);
  }
}

// The same at the edge of a bounded plane: what is born beyond it dies at once.
template <bool kLife>
HWY_NOINLINE void step_masked(Window& w, int generations, const RuleFunctions& rule,
                              const WindowMask& mask) {
  for (int g = 0; g < generations; g++) {
    if constexpr (kLife) {
      life_generation(w);
    } else {
      rule_generation(w, rule);
    }
    for (int j = 0; j < 8; j++) {
      for (int p = 0; p < kParts; p++) {
        w.v[j][p] = hn::And(w.v[j][p], hn::Load(Tag(), mask.rows + 8 * j + p * kLanes));
      }
    }
  }
}

// Steps a tile's window.
template <bool kLife>
TESSERA_INLINE void step_tile(Window& w, const TileVisit& v, const Tile& tile,
                              const RuleFunctions& rule) {
  if (tile.frame) {
    step_masked<kLife>(w, v.generations, rule, v.masks[tile.frame]);
  } else {
    step_window<kLife>(w, v.generations, rule);
  }
}
