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

// How a tile's new cells differ from two of its states, and the bits of both that differ from the
// older one in its first rows, its last rows and anywhere.
struct Difference {
  std::uint64_t any = 0, top = 0, bottom = 0;  // from the older state
  bool from_now = false;                       // from the present one
  bool live = false;
};

TESSERA_INLINE Difference compare(const std::uint64_t* words, const std::uint64_t* older,
                                  const std::uint64_t* now) {
  Difference d;
  std::uint64_t changed = 0, live = 0, row[6] = {};
  for (int j = 0; j < 8; j++) {
    for (int i = 0; i < 6; i++) {
      const std::uint64_t word = words[6 * j + i];
      row[i] |= word ^ older[6 * j + i];
      changed |= word ^ now[6 * j + i];
      live |= word;
    }
  }
  for (const std::uint64_t each : row) d.any |= each;
  d.top = row[0], d.bottom = row[5];
  d.from_now = changed != 0;
  d.live = live != 0;
  return d;
}

#if HWY_TARGET <= HWY_AVX3
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
  if (_mm512_test_epi64_mask(differs, differs) == 0) return d;
  alignas(64) std::uint64_t row[8];
  _mm512_store_si512(row, differs);
  d.top = row[1], d.bottom = row[6];
  d.any = row[1] | row[2] | row[3] | row[4] | row[5] | row[6];
  return d;
}
#endif

// The neighbours that see a difference.
TESSERA_INLINE std::uint32_t ways_of(const Difference& d) {
  constexpr std::uint64_t kMargin = (std::uint64_t{1} << kTileMargin) - 1;
  constexpr std::uint64_t kLeft = kMargin << kTileMargin, kRight = kMargin << kTileSide;
  const auto bit = [](int way, std::uint64_t seen) { return seen ? 1u << way : 0u; };
  return bit(0, d.top & kLeft) | bit(1, d.top) | bit(2, d.top & kRight) | bit(3, d.any & kLeft) |
         bit(4, d.any & kRight) | bit(5, d.bottom & kLeft) | bit(6, d.bottom) |
         bit(7, d.bottom & kRight);
}
