// Part of tile_kernel.cpp, compiled for each instruction set: the cells that a tile's next state
// depends on, and a generation of them.

// Vectors of half the width, for parts of a window, where vectors hold a whole one's eight lanes.
#if HWY_TARGET <= HWY_AVX3
using NarrowTag = hn::CappedTag<std::uint64_t, 4>;
using Narrow = hn::Vec<NarrowTag>;
constexpr int kNarrowParts = 1;
template <int kTable>
HWY_INLINE Narrow lut3(Narrow a, Narrow b, Narrow c) {
  return Narrow{_mm256_ternarylogic_epi64(a.raw, b.raw, c.raw, kTable)};
}
#define TESSERA_LUT3(nn, a, b, c) lut3<nn>(a, b, c)
#define TESSERA_FN HWY_INLINE
#define TESSERA_WORD Narrow
#define TESSERA_NOT(a) hn::Not(a)
#include "core/rules/circuit.inl"
#undef TESSERA_FN
#undef TESSERA_WORD
#undef TESSERA_NOT
#undef TESSERA_LUT3
#else
using NarrowTag = Tag;
using Narrow = Vec;
constexpr int kNarrowParts = kParts / 2;
#endif

// Rows of 64 cells in kVectors vectors of kSize parts: lane i of vector j is row kVectors * i + j,
// so that the rows above and below a vector are the vectors before and after it, and only the first
// and the last need a shift by a lane.
template <class V, int kVectors, int kSize>
struct Rows {
  V v[kVectors][kSize];
};
// A window: part p of vector j holds lanes p * kLanes and following.
using Window = Rows<Vec, 8, kParts>;

// The row codes of a vector of rows: the sum of each cell and its two neighbours.
template <class V, int kSize>
struct Codes {
  V x[kSize], m[kSize];
};

// Every lane takes the one before it, lane 0 the last one of `before`.
TESSERA_INLINE Vec lane_up(Vec before, Vec v) {
#if HWY_TARGET <= HWY_AVX3
  return Vec{_mm512_alignr_epi64(v.raw, before.raw, 7)};
#elif HWY_TARGET == HWY_AVX2
  const Tag d;
  return hn::CombineShiftRightBytes<8>(d, v, hn::ConcatLowerUpper(d, v, before));
#elif HWY_TARGET == HWY_SCALAR
  static_cast<void>(v);
  return before;
#else
  return hn::CombineShiftRightBytes<8>(Tag(), v, before);
#endif
}

// Every lane takes the one behind it, the last one lane 0 of `behind`.
TESSERA_INLINE Vec lane_down(Vec v, Vec behind) {
#if HWY_TARGET <= HWY_AVX3
  return Vec{_mm512_alignr_epi64(behind.raw, v.raw, 1)};
#elif HWY_TARGET == HWY_AVX2
  const Tag d;
  return hn::CombineShiftRightBytes<8>(d, hn::ConcatLowerUpper(d, behind, v), v);
#elif HWY_TARGET == HWY_SCALAR
  static_cast<void>(v);
  return behind;
#else
  return hn::CombineShiftRightBytes<8>(Tag(), behind, v);
#endif
}

#if HWY_TARGET <= HWY_AVX3
TESSERA_INLINE Narrow lane_up(Narrow before, Narrow v) {
  return Narrow{_mm256_alignr_epi64(v.raw, before.raw, 3)};
}
TESSERA_INLINE Narrow lane_down(Narrow v, Narrow behind) {
  return Narrow{_mm256_alignr_epi64(behind.raw, v.raw, 1)};
}
#endif

template <class V, int kSize>
TESSERA_INLINE void lanes_up(const V& before, const V (&from)[kSize], V (&to)[kSize]) {
  for (int p = kSize - 1; p >= 0; p--) to[p] = lane_up(p > 0 ? from[p - 1] : before, from[p]);
}
template <class V, int kSize>
TESSERA_INLINE void lanes_down(const V (&from)[kSize], const V& behind, V (&to)[kSize]) {
  for (int p = 0; p < kSize; p++) to[p] = lane_down(from[p], p + 1 < kSize ? from[p + 1] : behind);
}

template <class V, int kSize>
TESSERA_INLINE Codes<V, kSize> codes_of(const V (&row)[kSize]) {
  Codes<V, kSize> c;
  TESSERA_UNROLL
  for (int p = 0; p < kSize; p++) {
    const V left = hn::ShiftLeft<1>(row[p]), right = hn::ShiftRight<1>(row[p]);
    c.x[p] = tessera_xor3(left, row[p], right);
    c.m[p] = tessera_maj3(left, row[p], right);
  }
  return c;
}

// The codes of the rows above and below all others, in the last lane of `up` and in lane 0 of
// `down`.
template <class V>
struct Outside {
  Codes<V, 1> up, down;
};

// Of those a window knows nothing: what is wrong there moves inwards by one row per generation, and
// the margin is as wide.
TESSERA_INLINE Outside<Vec> unknown_outside() {
  const Vec zero = hn::Zero(Tag());
  return {{{zero}, {zero}}, {{zero}, {zero}}};
}

// Codes above row vector 0 and below the last one.
template <class V, int kVectors, int kSize>
struct Around {
  Codes<V, kSize> first, last, above, below;
  TESSERA_INLINE Around(const Rows<V, kVectors, kSize>& w, const Outside<V>& outside)
      : first(codes_of(w.v[0])), last(codes_of(w.v[kVectors - 1])) {
    lanes_up(outside.up.x[0], last.x, above.x);
    lanes_up(outside.up.m[0], last.m, above.m);
    lanes_down(first.x, outside.down.x[0], below.x);
    lanes_down(first.m, outside.down.m[0], below.m);
  }
};

// The codes below row vector j.
#define TESSERA_CODES_BELOW(j) \
  ((j) < kVectors - 2 ? codes_of(w.v[(j) + 1]) : (j) == kVectors - 2 ? around.last : around.below)

// Of the lanes of all parts: all but the first, and all but the last.
struct alignas(64) EdgeLanes {
  std::uint64_t of[16] = {0,
                          ~std::uint64_t{0},
                          ~std::uint64_t{0},
                          ~std::uint64_t{0},
                          ~std::uint64_t{0},
                          ~std::uint64_t{0},
                          ~std::uint64_t{0},
                          ~std::uint64_t{0},
                          ~std::uint64_t{0},
                          ~std::uint64_t{0},
                          ~std::uint64_t{0},
                          ~std::uint64_t{0},
                          ~std::uint64_t{0},
                          ~std::uint64_t{0},
                          ~std::uint64_t{0},
                          0};
};
constexpr EdgeLanes kInner;

// What a generation of a whole window changes: of[0] in the first four vectors, of[1] in the
// others.
struct Changes {
  Vec of[2][kParts];
  TESSERA_INLINE Changes() {
    for (auto& half : of) {
      for (Vec& part : half) part = hn::Zero(Tag());
    }
  }
  TESSERA_INLINE void add(int j, int p, Vec before, Vec after) {
    // Lane 0 of the first vector and the last one of the last know nothing of what is around them.
    const Vec differs = hn::Xor(before, after);
    Vec& all = of[j / 4][p];
    all = hn::Or(all, j == 0   ? hn::And(differs, hn::Load(Tag(), kInner.of + p * kLanes))
                      : j == 7 ? hn::And(differs, hn::Load(Tag(), kInner.of + 8 + p * kLanes))
                               : differs);
  }
};
// Where nobody wants to know.
struct NoChanges {
  template <class V>
  TESSERA_INLINE void add(int, int, V, V) {}
};

template <class V, int kVectors, int kSize, class Watch>
TESSERA_INLINE void life_generation(Rows<V, kVectors, kSize>& w, const Outside<V>& outside,
                                    Watch& watch) {
  const Around<V, kVectors, kSize> around(w, outside);
  Codes<V, kSize> a = around.above, b = around.first;
  TESSERA_UNROLL
  for (int j = 0; j < kVectors; j++) {
    const Codes<V, kSize> c = TESSERA_CODES_BELOW(j);
    TESSERA_UNROLL
    for (int p = 0; p < kSize; p++) {
      const V before = w.v[j][p];
      w.v[j][p] = tessera_life(a.x[p], a.m[p], b.x[p], b.m[p], before, c.x[p], c.m[p]);
      watch.add(j, p, before, w.v[j][p]);
    }
    a = b, b = c;
  }
}

// In line, its thousands of gates would be compiled four times over, which took minutes and was no
// faster.
template <int kVectors, int kSize, class Watch>
HWY_NOINLINE void rule_generation(Rows<Vec, kVectors, kSize>& w, const Outside<Vec>& outside,
                                  const RuleFunctions& rule, Watch& watch) {
  const Around<Vec, kVectors, kSize> around(w, outside);
  Codes<Vec, kSize> a = around.above, b = around.first;
  TESSERA_UNROLL
  for (int block = 0; block < kVectors; block += kBlock) {
    Block t0[kSize], k[kSize], u0[kSize], u1[kSize];
    TESSERA_UNROLL
    for (int i = 0; i < kBlock; i++) {
      const Codes<Vec, kSize> c = TESSERA_CODES_BELOW(block + i);
      TESSERA_UNROLL
      for (int p = 0; p < kSize; p++) {
        t0[p].v[i] = tessera_t0(a.x[p], b.x[p], c.x[p]);
        k[p].v[i] = tessera_k(a.x[p], b.x[p], c.x[p]);
        u0[p].v[i] = tessera_u0(a.m[p], b.m[p], c.m[p]);
        u1[p].v[i] = tessera_u1(a.m[p], b.m[p], c.m[p]);
      }
      a = b, b = c;
    }
    for (int p = 0; p < kSize; p++) {
      Block even, odd, dead;
      apply(rule.of[0][0], k[p], u0[p], u1[p], even);
      apply(rule.of[0][1], k[p], u0[p], u1[p], odd);
      TESSERA_UNROLL
      for (int i = 0; i < kBlock; i++) dead.v[i] = choose(t0[p].v[i], odd.v[i], even.v[i]);
      apply(rule.of[1][0], k[p], u0[p], u1[p], even);
      apply(rule.of[1][1], k[p], u0[p], u1[p], odd);
      TESSERA_UNROLL
      for (int i = 0; i < kBlock; i++) {
        const Vec before = w.v[block + i][p];
        w.v[block + i][p] = choose(before, choose(t0[p].v[i], odd.v[i], even.v[i]), dead.v[i]);
        watch.add(block + i, p, before, w.v[block + i][p]);
      }
    }
  }
}

template <bool kLife, class V, int kVectors, int kSize, class Watch = NoChanges>
TESSERA_INLINE void generation(Rows<V, kVectors, kSize>& w, const Outside<V>& outside,
                               const RuleFunctions& rule, Watch&& watch = Watch()) {
  if constexpr (kLife) {
    life_generation(w, outside, watch);
  } else {
    rule_generation(w, outside, rule, watch);
  }
}

// A tile and its neighbours, by way; [8] is the tile itself.
struct Nine {
  const std::uint64_t* of[kTileWays + 1];
  std::uint32_t seen = 0;  // bit d: way d may have live cells in the window
};
constexpr std::uint32_t kSeenLeft = 1u << 0 | 1u << 3 | 1u << 5;
constexpr std::uint32_t kSeenRight = 1u << 2 | 1u << 4 | 1u << 7;

#if HWY_TARGET <= HWY_AVX3
// Vector j of a column of the window: six words of the tile in the middle, one of the tile above,
// one of that below. Lanes that are masked out may lie outside of memory.
TESSERA_INLINE Vec window_column(const std::uint64_t* own, const std::uint64_t* up,
                                 const std::uint64_t* down, int j) {
  const auto word = [](const std::uint64_t* at)
                        HWY_ATTR { return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(at)); };
  __m512i v = _mm512_maskz_loadu_epi64(0x7E, own + 6 * j - 1);
  v = _mm512_mask_broadcastq_epi64(v, 0x01, word(up + 6 * j + 5));
  return Vec{_mm512_mask_broadcastq_epi64(v, 0x80, word(down + 6 * j))};
}
#else
TESSERA_INLINE void stage_column(const std::uint64_t* own, const std::uint64_t* up,
                                 const std::uint64_t* down, int j, std::uint64_t (&lanes)[8]) {
  lanes[0] = up[6 * j + 5];
  for (int i = 0; i < 6; i++) lanes[1 + i] = own[6 * j + i];
  lanes[7] = down[6 * j];
}
#endif

TESSERA_INLINE void load_column(const std::uint64_t* own, const std::uint64_t* up,
                                const std::uint64_t* down, Window& w) {
  TESSERA_UNROLL
  for (int j = 0; j < 8; j++) {
#if HWY_TARGET <= HWY_AVX3
    w.v[j][0] = window_column(own, up, down, j);
#else
    HWY_ALIGN std::uint64_t lanes[8];
    stage_column(own, up, down, j, lanes);
    for (int p = 0; p < kParts; p++) w.v[j][p] = hn::Load(Tag(), lanes + p * kLanes);
#endif
  }
}

// Margins in which nothing lives are not loaded.
TESSERA_INLINE void load_window(const Nine& around, Window& w) {
  load_column(around.of[8], around.of[1], around.of[6], w);
  Window side;
  if (around.seen & kSeenLeft) {
    load_column(around.of[3], around.of[0], around.of[5], side);
    TESSERA_UNROLL
    for (int j = 0; j < 8; j++) {
      TESSERA_UNROLL
      for (int p = 0; p < kParts; p++) {
        w.v[j][p] = hn::Or(w.v[j][p], hn::ShiftRight<kTileSide>(side.v[j][p]));
      }
    }
  }
  if (around.seen & kSeenRight) {
    load_column(around.of[4], around.of[2], around.of[7], side);
    TESSERA_UNROLL
    for (int j = 0; j < 8; j++) {
      TESSERA_UNROLL
      for (int p = 0; p < kParts; p++) {
        w.v[j][p] = hn::Or(w.v[j][p], hn::ShiftLeft<kTileSide>(side.v[j][p]));
      }
    }
  }
}

TESSERA_INLINE bool all_zero(const Window& w) {
  Vec any = hn::Zero(Tag());
  TESSERA_UNROLL
  for (int j = 0; j < 8; j++) {
    TESSERA_UNROLL
    for (int p = 0; p < kParts; p++) any = hn::Or(any, w.v[j][p]);
  }
  return hn::AllTrue(Tag(), hn::Eq(any, hn::Zero(Tag())));
}
