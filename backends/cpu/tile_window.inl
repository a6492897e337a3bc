// Part of tile_kernel.cpp, compiled for each instruction set: the cells that a tile's next state
// depends on, and a generation of them.

// A window: part p of vector j holds lanes p * kLanes and following.
struct Window {
  Vec v[8][kParts];
};

// The row codes of a vector of rows: the sum of each cell and its two neighbours.
struct Codes {
  Vec x[kParts], m[kParts];
};

// Every lane takes the one before it, lane 0 nothing: vector 7 becomes the rows above vector 0.
TESSERA_INLINE void lanes_up(const Vec (&from)[kParts], Vec (&to)[kParts]) {
  const Tag d;
  for (int p = kParts - 1; p >= 0; p--) {
    const Vec before = p > 0 ? from[p - 1] : hn::Zero(d);
#if HWY_TARGET <= HWY_AVX3
    to[p] = Vec{_mm512_alignr_epi64(from[p].raw, before.raw, 7)};
#elif HWY_TARGET == HWY_AVX2
    to[p] = hn::CombineShiftRightBytes<8>(d, from[p], hn::ConcatLowerUpper(d, from[p], before));
#elif HWY_TARGET == HWY_SCALAR
    to[p] = before;
#else
    to[p] = hn::CombineShiftRightBytes<8>(d, from[p], before);
#endif
  }
}

// Every lane takes the one behind it, the last one nothing.
TESSERA_INLINE void lanes_down(const Vec (&from)[kParts], Vec (&to)[kParts]) {
  const Tag d;
  for (int p = 0; p < kParts; p++) {
    const Vec behind = p + 1 < kParts ? from[p + 1] : hn::Zero(d);
#if HWY_TARGET <= HWY_AVX3
    to[p] = Vec{_mm512_alignr_epi64(behind.raw, from[p].raw, 1)};
#elif HWY_TARGET == HWY_AVX2
    to[p] = hn::CombineShiftRightBytes<8>(d, hn::ConcatLowerUpper(d, behind, from[p]), from[p]);
#elif HWY_TARGET == HWY_SCALAR
    to[p] = behind;
#else
    to[p] = hn::CombineShiftRightBytes<8>(d, behind, from[p]);
#endif
  }
}

TESSERA_INLINE Codes codes_of(const Vec (&row)[kParts]) {
  Codes c;
  TESSERA_UNROLL
  for (int p = 0; p < kParts; p++) {
    const Vec left = hn::ShiftLeft<1>(row[p]), right = hn::ShiftRight<1>(row[p]);
    c.x[p] = tessera_xor3(left, row[p], right);
    c.m[p] = tessera_maj3(left, row[p], right);
  }
  return c;
}

// Codes above row vector 0 and below row vector 7, of which the window's first generation knows
// nothing: what is wrong there moves inwards by one row per generation, and the margin is as wide.
struct Around {
  Codes first, last, above, below;
  TESSERA_INLINE explicit Around(const Window& w)
      : first(codes_of(w.v[0])), last(codes_of(w.v[7])) {
    lanes_up(last.x, above.x);
    lanes_up(last.m, above.m);
    lanes_down(first.x, below.x);
    lanes_down(first.m, below.m);
  }
};

// The codes below row vector j, where `c` are those of row vector j + 1 when that is not the last.
#define TESSERA_CODES_BELOW(j) \
  ((j) < 6 ? codes_of(w.v[(j) + 1]) : (j) == 6 ? around.last : around.below)

TESSERA_INLINE void life_generation(Window& w) {
  const Around around(w);
  Codes a = around.above, b = around.first;
  TESSERA_UNROLL
  for (int j = 0; j < 8; j++) {
    const Codes c = TESSERA_CODES_BELOW(j);
    TESSERA_UNROLL
    for (int p = 0; p < kParts; p++) {
      w.v[j][p] = tessera_life(a.x[p], a.m[p], b.x[p], b.m[p], w.v[j][p], c.x[p], c.m[p]);
    }
    a = b, b = c;
  }
}

TESSERA_INLINE void rule_generation(Window& w, const RuleFunctions& rule) {
  const Around around(w);
  Codes a = around.above, b = around.first;
  TESSERA_UNROLL
  for (int half = 0; half < 8; half += kBlock) {
    Block t0[kParts], k[kParts], u0[kParts], u1[kParts];
    TESSERA_UNROLL
    for (int i = 0; i < kBlock; i++) {
      const Codes c = TESSERA_CODES_BELOW(half + i);
      TESSERA_UNROLL
      for (int p = 0; p < kParts; p++) {
        t0[p].v[i] = tessera_t0(a.x[p], b.x[p], c.x[p]);
        k[p].v[i] = tessera_k(a.x[p], b.x[p], c.x[p]);
        u0[p].v[i] = tessera_u0(a.m[p], b.m[p], c.m[p]);
        u1[p].v[i] = tessera_u1(a.m[p], b.m[p], c.m[p]);
      }
      a = b, b = c;
    }
    for (int p = 0; p < kParts; p++) {
      Block even, odd, dead;
      apply(rule.of[0][0], k[p], u0[p], u1[p], even);
      apply(rule.of[0][1], k[p], u0[p], u1[p], odd);
      TESSERA_UNROLL
      for (int i = 0; i < kBlock; i++) dead.v[i] = choose(t0[p].v[i], odd.v[i], even.v[i]);
      apply(rule.of[1][0], k[p], u0[p], u1[p], even);
      apply(rule.of[1][1], k[p], u0[p], u1[p], odd);
      TESSERA_UNROLL
      for (int i = 0; i < kBlock; i++) {
        Vec& x = w.v[half + i][p];
        x = choose(x, choose(t0[p].v[i], odd.v[i], even.v[i]), dead.v[i]);
      }
    }
  }
}

// What surrounds a tile, by way; [8] is the tile itself.
using Nine = const std::uint64_t* const[kTileWays + 1];

constexpr std::uint64_t kColumns = ((std::uint64_t{1} << kTileSide) - 1) << kTileMargin;

#if HWY_TARGET <= HWY_AVX3
// Vector j of the window's middle column: six words of the tile itself, one of the tile above, one
// of that below. Lanes that are masked out may lie outside of memory.
TESSERA_INLINE Vec window_column(const std::uint64_t* own, const std::uint64_t* up,
                                 const std::uint64_t* down, int j) {
  __m512i v = _mm512_maskz_loadu_epi64(0x7E, own + 6 * j - 1);
  v = _mm512_mask_loadu_epi64(v, 0x01, up + 6 * j + 5);
  return Vec{_mm512_mask_loadu_epi64(v, 0x80, down + 6 * j - 7)};
}
#else
TESSERA_INLINE void stage_column(const std::uint64_t* own, const std::uint64_t* up,
                                 const std::uint64_t* down, int j, std::uint64_t (&lanes)[8]) {
  lanes[0] = up[6 * j + 5];
  for (int i = 0; i < 6; i++) lanes[1 + i] = own[6 * j + i];
  lanes[7] = down[6 * j];
}
#endif

TESSERA_INLINE void load_window(Nine& around, Window& w) {
#if HWY_TARGET <= HWY_AVX3
  TESSERA_UNROLL
  for (int j = 0; j < 8; j++) {
    const Vec left = window_column(around[3], around[0], around[5], j);
    const Vec middle = window_column(around[8], around[1], around[6], j);
    const Vec right = window_column(around[4], around[2], around[7], j);
    w.v[j][0] =
        lut3<0xFE>(middle, hn::ShiftRight<kTileSide>(left), hn::ShiftLeft<kTileSide>(right));
  }
#else
  for (int j = 0; j < 8; j++) {
    HWY_ALIGN std::uint64_t left[8], middle[8], right[8];
    stage_column(around[3], around[0], around[5], j, left);
    stage_column(around[8], around[1], around[6], j, middle);
    stage_column(around[4], around[2], around[7], j, right);
    for (int i = 0; i < 8; i++) middle[i] |= left[i] >> kTileSide | right[i] << kTileSide;
    for (int p = 0; p < kParts; p++) w.v[j][p] = hn::Load(Tag(), middle + p * kLanes);
  }
#endif
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
