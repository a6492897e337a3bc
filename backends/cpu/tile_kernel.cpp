// Compiled once for every instruction set (Highway's foreach_target); the best one is chosen at run
// time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/tile_kernel.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

#include "backends/cpu/tile_kernel.h"
#include "backends/cpu/unrolling.h"

HWY_BEFORE_NAMESPACE();
namespace tessera {
namespace HWY_NAMESPACE {
namespace {  // strip_kernel.cpp has the same namespace and includes the same texts

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<std::uint64_t, 8>;
using Vec = hn::Vec<Tag>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(Tag()));
constexpr int kParts = 8 / kLanes;  // vectors that hold eight lanes

#include "backends/cpu/rule_gates.inl"

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

// Puts a tile on the next worklist, unless some thread did.
TESSERA_INLINE void queue(const TileVisit& v, TileLane& lane, TileId tile) {
  const std::atomic_ref<std::uint64_t> queued(v.tiles[tile].queued);
  if (queued.load(std::memory_order_relaxed) == v.stamp) return;
  if (v.alone) {
    // An exchange waits until all cells that were written have reached the cache.
    queued.store(v.stamp, std::memory_order_relaxed);
  } else if (queued.exchange(v.stamp, std::memory_order_relaxed) == v.stamp) {
    return;
  }
  lane.list.push_back(tile);
}

// A tile is another one than it was: it and those who see that are visited next.
TESSERA_INLINE void tell(const TileVisit& v, TileLane& lane, TileId tile, std::uint32_t ways) {
  queue(v, lane, tile);
  const Tile& t = v.tiles[tile];
  std::uint32_t missing = 0;
  for (; ways; ways &= ways - 1) {
    const int d = std::countr_zero(ways);
    if (t.next[d]) {
      queue(v, lane, t.next[d]);
    } else {
      missing |= 1u << d;
    }
  }
  if (missing) lane.missing.push_back({tile, missing});
}

// Puts another state into the slot, and tells whom the difference concerns.
TESSERA_INLINE void settle(const TileVisit& v, TileLane& lane, TileId tile, TileState out,
                           const Difference& d) {
  const TileState old = v.after[tile];
  if (out != old) {
    v.states->hold(out);
    v.states->release(old, lane.states);
    v.after[tile] = out;
  }
  tell(v, lane, tile, ways_of(d));
}

// A state that exists already, instead of the one in the slot.
TESSERA_INLINE void take(const TileVisit& v, TileLane& lane, TileId tile, TileState out) {
  const TileState old = v.after[tile];
  if (out == old) return;
  const Difference d = compare(v.states->words(out), v.states->words(old), v.states->words(out));
  if (d.any) settle(v, lane, tile, out, d);  // an equal one stays
}

template <bool kLife>
TESSERA_INLINE void visit_one(const TileVisit& v, TileLane& lane, TileId tile,
                              const RuleFunctions& rule) {
  const Tile& t = v.tiles[tile];
  const TileState own = v.now[tile];
  TileState any = own, moved = own ^ v.before[tile];
  const std::uint64_t* around[kTileWays + 1];
  around[8] = v.states->words(own);
  for (int d = 0; d < kTileWays; d++) {
    const TileState state = v.now[t.next[d]];
    around[d] = v.states->words(state);
    any |= state;
    moved |= state ^ v.before[t.next[d]];
  }
  if (!any) return take(v, lane, tile, 0);
  if (v.repeats && !moved) return take(v, lane, tile, own);

  Window w;
  load_window(around, w);
  if (all_zero(w)) return take(v, lane, tile, 0);
  step_tile<kLife>(w, v, t, rule);
  const TileState old = v.after[tile];
#if HWY_TARGET <= HWY_AVX3
  const Difference d = compare(w, v.states->words(old), around[8]);
#else
  HWY_ALIGN std::uint64_t words[StateStore::kWords];
  own_words(w, words);
  const Difference d = compare(words, v.states->words(old), around[8]);
#endif
  if (!d.any) return;
  if (!d.live) return settle(v, lane, tile, 0, d);
  if (!d.from_now) return settle(v, lane, tile, own, d);
  TileState out = old;
  const bool anew = !v.states->rewritable(old);
  if (anew) out = v.states->make(lane.states);
  std::uint64_t* to = v.states->words(out);
#if HWY_TARGET <= HWY_AVX3
  TESSERA_UNROLL
  for (int j = 0; j < 8; j++) _mm512_mask_storeu_epi64(to + 6 * j - 1, 0x7E, w.v[j][0].raw);
#else
  std::copy_n(words, StateStore::kWords, to);
#endif
  if (anew) {
    v.states->release(old, lane.states);
    v.after[tile] = out;  // made held once
  } else {
    v.states->rewritten(out);
  }
  tell(v, lane, tile, ways_of(d));
}

// Where tiles are many, what a visit reads is in no cache: the tile first, then the states that it
// and its neighbours are in, and the one that it may write anew.
TESSERA_INLINE void prefetch_state(const std::uint64_t* words) {
  for (int i = 0; i < StateStore::kWords; i += 8) __builtin_prefetch(words + i);
}
TESSERA_INLINE void prefetch_states(const TileVisit& v, TileId tile) {
  const Tile& t = v.tiles[tile];
  prefetch_state(v.states->words(v.now[tile]));
  prefetch_state(v.states->words(v.after[tile]));
  for (const TileId next : t.next) prefetch_state(v.states->words(v.now[next]));
}

template <bool kLife>
void visit_list(const TileVisit& v, TileLane& lane, const TileId* list, std::size_t count) {
  const RuleFunctions rule(v.rule);
  constexpr std::size_t kTilesAhead = 8, kStatesAhead = 2;
  for (std::size_t i = 0; i < count; i++) {
    if (i + kTilesAhead < count) __builtin_prefetch(&v.tiles[list[i + kTilesAhead]]);
    if (i + kStatesAhead < count) prefetch_states(v, list[i + kStatesAhead]);
    visit_one<kLife>(v, lane, list[i], rule);
  }
}

}  // namespace

void visit_tiles(const TileVisit& v, TileLane& lane, const TileId* list, std::size_t count) {
  v.rule == kLife ? visit_list<true>(v, lane, list, count)
                  : visit_list<false>(v, lane, list, count);
}

int count_words(const std::uint64_t* words) {
  const Tag d;
  Vec sum = hn::Zero(d);
  for (int i = 0; i < StateStore::kWords; i += kLanes) {
    sum = hn::Add(sum, hn::PopulationCount(hn::LoadU(d, words + i)));
  }
  return static_cast<int>(hn::GetLane(hn::SumOfLanes(d, sum)));
}

TileState peek_tile(const TileVisit& v, TileId tile) {
  const Tile& t = v.tiles[tile];
  const std::uint64_t* around[kTileWays + 1];
  around[8] = v.states->words(v.now[tile]);
  for (int d = 0; d < kTileWays; d++) around[d] = v.states->words(v.now[t.next[d]]);
  Window w;
  load_window(around, w);
  if (all_zero(w)) return 0;
  const RuleFunctions rule(v.rule);
  if (v.rule == kLife) {
    step_tile<true>(w, v, t, rule);
  } else {
    step_tile<false>(w, v, t, rule);
  }
  HWY_ALIGN std::uint64_t words[StateStore::kWords];
  own_words(w, words);
  if (std::all_of(words, words + StateStore::kWords, [](std::uint64_t each) { return each == 0; }))
    return 0;
  if (std::equal(words, words + StateStore::kWords, around[8])) {
    v.states->hold(v.now[tile]);
    return v.now[tile];
  }
  const TileState out = v.states->make();
  std::copy_n(words, StateStore::kWords, v.states->words(out));
  return out;
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera {

HWY_EXPORT(visit_tiles);
HWY_EXPORT(peek_tile);
HWY_EXPORT(count_words);

void tile_visit(const TileVisit& visit, TileLane& lane, const TileId* list, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(visit_tiles)(visit, lane, list, count);
}

TileState tile_peek(const TileVisit& visit, TileId tile) {
  return HWY_DYNAMIC_DISPATCH(peek_tile)(visit, tile);
}

int tile_population(const std::uint64_t* words) { return HWY_DYNAMIC_DISPATCH(count_words)(words); }

}  // namespace tessera
#endif
