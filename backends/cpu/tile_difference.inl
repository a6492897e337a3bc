// Part of tile_kernel.cpp, compiled for each instruction set: what a step has made of a tile, and
// who sees that.

// The tile's own words of a window, in the order of StateStore.
TESSERA_INLINE void own_words(const Window& w, std::uint64_t* words) {
  for (int j = 0; j < 8; j++) {
    HWY_ALIGN std::uint64_t lanes[8];
    for (int p = 0; p < kParts; p++) hn::Store(w.v[j][p], Tag(), lanes + p * kLanes);
    for (int i = 0; i < 6; i++) words[6 * j + i] = lanes[1 + i] & kColumns;
  }
}

// How a tile's new cells differ from two of its states.
struct Difference {
  std::uint32_t ways = 0;     // the neighbours that see a difference from the older state
  bool any = false;           // there is one
  bool from_now = false;      // from the present one
  bool live = false;          // there are cells, and
  std::uint32_t seen_by = 0;  // the neighbours that see them
};

TESSERA_INLINE Difference compare(const std::uint64_t* words, const std::uint64_t* older,
                                  const std::uint64_t* now) {
  Difference d;
  std::uint64_t changed = 0, differs[6] = {}, live[6] = {};
  for (int j = 0; j < 8; j++) {
    for (int i = 0; i < 6; i++) {
      const std::uint64_t word = words[6 * j + i];
      differs[i] |= word ^ older[6 * j + i];
      changed |= word ^ now[6 * j + i];
      live[i] |= word;
    }
  }
  for (int i = 0; i < 6; i++) d.any |= differs[i] != 0, d.live |= live[i] != 0;
  d.from_now = changed != 0;
  d.ways = ways_of(differs);
  d.seen_by = ways_of(live);
  return d;
}

#if HWY_TARGET <= HWY_AVX3
// The same for lanes 1 to 6, the others being 0.
TESSERA_INLINE std::uint32_t ways_of(__m512i rows) {
  __m512i any = _mm512_or_si512(rows, _mm512_alignr_epi64(rows, rows, 4));
  any = _mm512_or_si512(any, _mm512_alignr_epi64(any, any, 2));
  any = _mm512_or_si512(any, _mm512_alignr_epi64(any, any, 1));
  const __m512i seen =
      _mm512_mask_permutexvar_epi64(any, 0xE7, _mm512_set_epi64(6, 6, 6, 0, 0, 1, 1, 1), rows);
  return _mm512_test_epi64_mask(seen, _mm512_load_si512(kSeenColumns.of));
}

TESSERA_INLINE Difference compare(Window& w, const std::uint64_t* older, const std::uint64_t* now) {
  const __m512i columns = _mm512_set1_epi64(static_cast<long long>(kColumns));
  __m512i live = _mm512_setzero_si512(), differs = live, changed = live;
  TESSERA_UNROLL
  for (int j = 0; j < 8; j++) {
    const __m512i word = _mm512_maskz_and_epi64(0x7E, w.v[j][0].raw, columns);
    w.v[j][0] = Vec{word};
    live = _mm512_or_si512(live, word);
    differs = _mm512_ternarylogic_epi64(differs, word,
                                        _mm512_maskz_loadu_epi64(0x7E, older + 6 * j - 1), 0xF6);
    changed = _mm512_ternarylogic_epi64(changed, word,
                                        _mm512_maskz_loadu_epi64(0x7E, now + 6 * j - 1), 0xF6);
  }
  Difference d;
  d.live = _mm512_test_epi64_mask(live, live) != 0;
  d.from_now = _mm512_test_epi64_mask(changed, changed) != 0;
  d.any = _mm512_test_epi64_mask(differs, differs) != 0;
  if (!d.any) return d;
  d.ways = ways_of(differs);
  d.seen_by = ways_of(live);
  return d;
}
#endif
