// Part of tile_kernel.cpp, compiled for each instruction set: the generations of a step after the
// first, in those rows of a window alone in which something moves.
//
// The first generation of a whole window shows which cells stay as they are. Let all others that
// are known to be right lie inside of a band of rows. The rows outside of it then stay as they are
// in every generation in which the outermost rows of the band do, because they see nothing that has
// changed; and the band is stepped beside them as they are. So it is stepped alone, and whether its
// outermost rows have ever changed is seen behind it. In a window of 64 cells, cells are right in
// generation g that are g cells or more from its edge: only those count.

// Rows of a window in groups of four.
constexpr int kGroupRows = 4, kGroups = 64 / kGroupRows;

// The first and the last of the groups in which two windows differ in cells that both know one
// generation on; last < first: there are none.
struct Groups {
  int first, last;
};

// Columns that are right in a generation.
struct ValidColumns {
  alignas(64) std::uint64_t of[kTileMargin + 1];
  constexpr ValidColumns() : of() {
    for (int g = 0; g <= kTileMargin; g++) of[g] = ~std::uint64_t{0} << g & ~std::uint64_t{0} >> g;
  }
};
constexpr ValidColumns kValid;

// The lanes of a vector of eight that are not zero, a bit each.
TESSERA_INLINE unsigned lanes_set(const Vec (&v)[kParts]) {
#if HWY_TARGET <= HWY_AVX3
  return _mm512_test_epi64_mask(v[0].raw, v[0].raw);
#else
  HWY_ALIGN std::uint64_t lanes[8];
  for (int p = 0; p < kParts; p++) hn::Store(v[p], Tag(), lanes + p * kLanes);
  unsigned out = 0;
  for (int i = 0; i < 8; i++) out |= (lanes[i] ? 1u : 0u) << i;
  return out;
#endif
}

TESSERA_INLINE Groups moving(const Changes& changes) {
  const Vec columns = hn::Set(Tag(), kValid.of[1]);
  Vec any[2][kParts];
  TESSERA_UNROLL
  for (int p = 0; p < kParts; p++) {
    any[0][p] = hn::And(changes.of[0][p], columns), any[1][p] = hn::And(changes.of[1][p], columns);
  }
  const unsigned even = lanes_set(any[0]), odd = lanes_set(any[1]);
  return {std::min(2 * std::countr_zero(even), 2 * std::countr_zero(odd) + 1),
          std::max(2 * (31 - std::countl_zero(even)), 2 * (31 - std::countl_zero(odd)) + 1)};
}

// The groups of a window as vectors: lanes of vectors j and j + 4 in turns are the rows j of all
// groups.
#if HWY_TARGET <= HWY_AVX3
struct alignas(64) InTurns {
  // Beyond either end anything: no cell there is right.
  std::uint64_t of[kGroups + 16] = {0, 0,  0, 0,  0, 0,  0, 0,  0, 8, 1, 9, 2, 10, 3, 11,
                                    4, 12, 5, 13, 6, 14, 7, 15, 0, 0, 0, 0, 0, 0,  0, 0};
};
constexpr InTurns kInTurns;
class GroupView {
 public:
  TESSERA_INLINE explicit GroupView(const Window& w) : w_(w) {}
  // Rows `row` of the groups from `group` on, -8 .. kGroups, one a lane.
  TESSERA_INLINE void load(int row, int group, Vec (&to)[1]) const { to[0] = Vec{at(row, group)}; }
  TESSERA_INLINE void load(int row, int group, Narrow (&to)[1]) const {
    to[0] = Narrow{_mm512_castsi512_si256(at(row, group))};
  }
  // Puts groups from `group` on into the window.
  template <class V>
  TESSERA_INLINE static void store(const Rows<V, kGroupRows, 1>& band, int group, Window& w) {
    const __m512i lanes = _mm512_set1_epi64(hn::MaxLanes(hn::DFromV<V>()));
    const __m512i even =
        _mm512_sub_epi64(_mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0), _mm512_set1_epi64(group));
    const __m512i odd = _mm512_add_epi64(even, _mm512_set1_epi64(1));
    const __mmask8 even_there = _mm512_cmplt_epu64_mask(even, lanes);
    const __mmask8 odd_there = _mm512_cmplt_epu64_mask(odd, lanes);
    TESSERA_UNROLL
    for (int j = 0; j < kGroupRows; j++) {
      const __m512i rows = wide(band.v[j][0]);
      w.v[j][0] = Vec{_mm512_mask_permutexvar_epi64(w.v[j][0].raw, even_there, even, rows)};
      w.v[j + kGroupRows][0] =
          Vec{_mm512_mask_permutexvar_epi64(w.v[j + kGroupRows][0].raw, odd_there, odd, rows)};
    }
  }

 private:
  TESSERA_INLINE __m512i at(int row, int group) const {
    return _mm512_permutex2var_epi64(w_.v[row][0].raw, _mm512_loadu_si512(kInTurns.of + 8 + group),
                                     w_.v[row + kGroupRows][0].raw);
  }
  TESSERA_INLINE static __m512i wide(Vec v) { return v.raw; }
  TESSERA_INLINE static __m512i wide(Narrow v) { return _mm512_castsi256_si512(v.raw); }

  const Window& w_;
};
#else
class GroupView {
 public:
  TESSERA_INLINE explicit GroupView(const Window& w) {
    for (int j = 0; j < kGroupRows; j++) {
      for (int p = 0; p < kParts; p++) {
        put_in_turns(w.v[j][p], w.v[j + kGroupRows][p], rows_[j] + 8 + 2 * p * kLanes);
      }
      // Beyond either end anything: no cell there is right.
      std::fill_n(rows_[j], 8, 0);
      std::fill_n(rows_[j] + 8 + kGroups, 8, 0);
    }
  }
  template <int kSize>
  TESSERA_INLINE void load(int row, int group, Vec (&to)[kSize]) const {
    for (int p = 0; p < kSize; p++) {
      to[p] = hn::LoadU(Tag(), rows_[row] + 8 + group + p * kLanes);
    }
  }
  template <int kSize>
  TESSERA_INLINE void store(const Rows<Vec, kGroupRows, kSize>& band, int group, Window& w) {
    for (int j = 0; j < kGroupRows; j++) {
      for (int p = 0; p < kSize; p++) {
        hn::StoreU(band.v[j][p], Tag(), rows_[j] + 8 + group + p * kLanes);
      }
      for (int p = 0; p < kParts; p++) {
        take_turns(rows_[j] + 8 + 2 * p * kLanes, w.v[j][p], w.v[j + kGroupRows][p]);
      }
    }
  }

 private:
  TESSERA_INLINE static void put_in_turns(Vec even, Vec odd, std::uint64_t* to) {
    hn::StoreInterleaved2(even, odd, Tag(), to);
  }
  TESSERA_INLINE static void take_turns(const std::uint64_t* from, Vec& even, Vec& odd) {
    hn::LoadInterleaved2(Tag(), from, even, odd);
  }

  HWY_ALIGN std::uint64_t rows_[kGroupRows][kGroups + 16];
};
#endif

// Steps a window on from its first generation in the band of V's lanes times kSize groups around
// those that move. False, and the window is as it was, where they do not stay within.
template <bool kLife, class V, int kSize>
TESSERA_INLINE bool step_band(Window& w, const Groups& groups, int generations,
                              const RuleFunctions& rule) {
  const hn::DFromV<V> d;
  constexpr int kInPart = static_cast<int>(hn::MaxLanes(hn::DFromV<V>()));
  constexpr int kHeight = kInPart * kSize;
  const int from =
      std::clamp((groups.first + groups.last + 1 - kHeight) >> 1, 0, kGroups - kHeight);
  const int end = from + kHeight;
  const bool open_above = from == 0, open_below = end == kGroups;
  if ((groups.first <= from && !open_above) || (groups.last >= end - 1 && !open_below)) {
    return false;
  }
  GroupView view(w);
  Rows<V, kGroupRows, kSize> band;
  TESSERA_UNROLL
  for (int j = 0; j < kGroupRows; j++) view.load(j, from, band.v[j]);
  V up[1], down[1];
  view.load(kGroupRows - 1, from - kInPart, up);
  view.load(0, end, down);
  const Outside<V> outside{codes_of(up), codes_of(down)};
  const V first = band.v[0][0], last = band.v[kGroupRows - 1][kSize - 1];
  V first_changed = hn::Zero(d), last_changed = first_changed;
  for (int g = 2; g <= generations; g++) {
    generation<kLife>(band, outside, rule);
    const V columns = hn::Set(d, kValid.of[g]);
    first_changed = hn::Or(first_changed, hn::And(columns, hn::Xor(first, band.v[0][0])));
    last_changed =
        hn::Or(last_changed, hn::And(columns, hn::Xor(last, band.v[kGroupRows - 1][kSize - 1])));
  }
  if (!open_above && hn::GetLane(first_changed) != 0) return false;
  if (!open_below && hn::ExtractLane(last_changed, kInPart - 1) != 0) return false;
  view.store(band, from, w);
  return true;
}
