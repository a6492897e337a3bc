// Compiled once for every instruction set (Highway's foreach_target); the best one is chosen at run
// time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/strip_kernel.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <new>

#include "backends/cpu/strip_kernel.h"
#include "backends/cpu/unrolling.h"

HWY_BEFORE_NAMESPACE();
namespace tessera {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<std::uint64_t>;
using Vec = hn::Vec<Tag>;

HWY_INLINE std::int64_t lanes() { return static_cast<std::int64_t>(hn::Lanes(Tag())); }
HWY_INLINE Vec load(const std::uint64_t* from) { return hn::Load(Tag(), from); }
HWY_INLINE void store(Vec v, std::uint64_t* to) { hn::Store(v, Tag(), to); }

using Indices = decltype(hn::SetTableIndices(Tag(), static_cast<const std::int64_t*>(nullptr)));
using Mask = decltype(hn::MaskFromVec(hn::Zero(Tag())));

// `v`, with the lanes of `by` at `from` where `where` is set.
HWY_INLINE Vec replaced(Vec v, Mask where, Indices from, Vec by) {
#if HWY_TARGET <= HWY_AVX3
  return Vec{_mm512_mask_permutexvar_epi64(v.raw, where.raw, from.raw, by.raw)};
#else
  return hn::IfThenElse(where, hn::TableLookupLanes(by, from), v);
#endif
}

#include "backends/cpu/rule_gates.inl"
#include "backends/cpu/strip_closer.inl"
#include "backends/cpu/strip_columns.inl"
#include "backends/cpu/strip_compiled.inl"
#include "backends/cpu/strip_rules.inl"

// On a plane, cells outside the grid stay dead in every generation, not only in the margin that a
// pass begins with. It is enough to clear the row above the first and the row below the last one,
// in each band that meets them, because cells born beyond never reach the grid.
class Border {
 public:
  // Those among vector rows [first, last); none except on a plane.
  Border(const StripLayout& layout, std::int64_t first, std::int64_t last) : layout_(layout) {
    if (layout.boundary != Boundary::plane) return;
    if (layout.tenants != StripTenants::one) {
      for (const std::int64_t y : {std::int64_t{-1}, layout.band_rows})
        if (y >= first && y < last) places_[count_++] = {y, kAllBands};
      return;
    }
    for (int band = 0; band < layout.bands; band++) {
      for (const std::int64_t row : {std::int64_t{-1}, layout.height}) {
        const std::int64_t y = row - band * layout.band_rows;
        if (y >= first && y < last) places_[count_++] = {y, band};
      }
    }
  }
  // `row` is word 0 of vector row `first`, the first of `rows`.
  HWY_INLINE void clear(std::int64_t first, std::int64_t rows, std::uint64_t* row) const {
    for (int i = 0; i < count_; i++) {
      const Place& place = places_[i];
      if (place.y < first || place.y >= first + rows) continue;
      clear_band(row + (place.y - first) * layout_.stride * lanes(), place.band);
    }
  }

 private:
  static constexpr int kAllBands = -1;
  struct Place {
    std::int64_t y;
    int band;
  };

  HWY_INLINE void clear_band(std::uint64_t* row, int band) const {
    HWY_ALIGN std::uint64_t outside[HWY_MAX_BYTES / 8] = {};
    const bool all = band == kAllBands;
    std::fill_n(outside + (all ? 0 : band * layout_.segments), all ? lanes() : layout_.segments,
                ~std::uint64_t{0});
    const Vec mask = load(outside);
    row -= lanes();  // ghosts, too
    for (std::int64_t j = -1; j <= layout_.words; j++, row += lanes()) {
      store(hn::AndNot(mask, load(row)), row);
    }
  }

  const StripLayout& layout_;
  std::array<Place, 2 * kMaxLanes> places_;
  int count_ = 0;
};

// Grids of up to this many bytes stay in the L2 cache.
constexpr std::int64_t kCachedBytes = 256 * 1024;

// Prefetches a piece of memory into the L2 cache, a part in each generation: the work on one group
// hides the latency of what the next group will read and write, in memory or in another core's
// caches.
class FetchAhead {
 public:
  FetchAhead(std::int64_t words, int generations)
      : words_(words), part_(ceil_div(ceil_div(words, kLine), generations) * kLine) {}
  // The part of generation t, from 1 on.
  template <int kWrite = 0>
  HWY_INLINE void part(const std::uint64_t* from, int t) const {
    const std::int64_t end = std::min(words_, part_ * t);
    for (std::int64_t i = part_ * (t - 1); i < end; i += kLine)
      __builtin_prefetch(from + i, kWrite, 2);
  }

 private:
  static constexpr std::int64_t kLine = 8;  // words

  std::int64_t words_, part_;
};

#include "backends/cpu/strip_handing.inl"

void pass(const StripPass& p) {
  const StripLayout& layout = *p.layout;
  Stretch& stretch = *p.stretch;
  const std::int64_t n = lanes(), stride = layout.stride * n;
  const int generations = p.generations;
  const std::int64_t first = stretch.first();
  Stretch::End end = stretch.claim(first - generations);
  bool below_ready = false;
  const Closer closer(layout, *p.seams);
  // Down to the grid's end: a stretch may go on with the rows of those below.
  const Border border(layout, first - generations, layout.band_rows + generations);
  const RuleFunctions functions(p.rule);
  const bool life = p.rule == kLife && !p.code[0];
  const std::int64_t group_words = p.rows * stride;
  const std::int64_t step = life ? 2 : kBlock;  // rows; a power of two
  // Rows move one vector to the left each generation.
  std::uint64_t* const rows = p.scratch + n;
  std::uint64_t* const states = rows + generations * n + group_words;
  const std::int64_t state_row = state_stride(layout.words);
  // The margins are written anew before every pass, and may be overwritten.
  const std::int64_t lowest = first == 0 ? -layout.margin_top : first;
  const bool in_cache = 2 * 8 * layout.buffer_words() <= kCachedBytes;
  const FetchAhead fetch_ahead(group_words, generations);
  PlaneWindow window(layout, p.planes, generations, p.rows);
  Handing handing(p, window);
  StripCodeFrame* const frame = p.code[0] ? new (p.frame) StripCodeFrame : nullptr;
  if (frame) place_seams(*p.seams, *frame);

  // The last generation's row of a group's first output row is `top - generations`.
  for (std::int64_t top = first - generations; top - generations < end.last; top += p.rows) {
    end = stretch.claim(top + p.rows);
    const std::int64_t highest =
        end.last == layout.band_rows ? end.last + layout.margin_bottom : end.last;
    // Of a stretch that has come so far, nobody takes a half any more.
    if (!below_ready && !end.below && top + p.rows + kRowStep > layout.band_rows) {
      below_ready = true;
      if (p.before_below) p.before_below();
    }
    // The first generation steps a row more than lies above the stretch below.
    window.enter(top, end.below ? end.last - generations + 1 : end.last + generations);
    const bool hands = end.below || stretch.leaves();
    if (hands) handing.look_ahead(stretch, end, top, p.rows);
    for (int t = 1; t <= generations; t++) {
      // The rows of this group that this generation's part of the stretch needs, in steps.
      const std::int64_t row0 = top - t, spare = generations - t;
      std::int64_t begin = std::max<std::int64_t>(0, first - spare - row0);
      if (begin >= p.rows + step) break;  // not even as rows above the next group's
      begin = std::min(begin & -step, p.rows - step);
      const std::int64_t needed_end = end.below ? end.last - spare : end.last + spare;
      const std::int64_t needed = std::min<std::int64_t>(p.rows, needed_end - row0) - begin;
      if (needed <= 0) continue;  // the rows behind are those of the stretch below
      const std::int64_t count = (needed + step - 1) & -step;
      const std::int64_t first_out = row0 + begin;
      const bool final = t == generations;
      const bool whole = first_out >= lowest && first_out + count <= highest;
      std::uint64_t* const moved = rows + (generations - t) * n;
      const std::uint64_t* const in = t == 1 ? p.front + layout.at(top, 0) : moved + n;
      std::uint64_t* const out = final && whole ? p.back + layout.at(row0, 0) : moved;
      if (!in_cache && top + 2 * p.rows <= layout.band_rows + layout.margin_bottom) {
        fetch_ahead.part(p.front + layout.at(top + p.rows, -1), t);
      }
      const std::int64_t back_next = top + p.rows - generations;
      if (!in_cache && back_next >= first && back_next + p.rows <= end.last) {
        fetch_ahead.part(p.back + layout.at(back_next, -1), t);
      }
      if (hands) {
        handing.fetch_ahead(t);
        handing.take(end, t - 1, row0 + 1, p.rows, moved + n);
      }
      std::uint64_t* const state = states + (t - 1) * 2 * state_row + n;
      const std::uint64_t* from = in + begin * stride;
      std::uint64_t* to = out + begin * stride;
      const Group group{from,
                        to,
                        begin > 0 ? from - 2 * stride : state,
                        begin > 0 ? from - stride : state + state_row,
                        state,
                        stride,
                        layout.words,
                        static_cast<int>(count)};
      if (life) {
        life_group(group, closer);
      } else {
        if (const StripCode* code = p.code[(t - 1) % 2]) {
          const int planes = p.planes.moves ? p.planes.moves->planes() : 1;
          place_planes(window, planes, t, first_out, *frame);
          compiled_group(group, *code, *frame, planes);
        } else {
          rule_group(group, functions);
        }
        if (!p.code[0] || layout.words == 1) closer.close_rows(to, stride, static_cast<int>(count));
      }
      border.clear(first_out, count, to);
      if (hands) handing.leave(stretch, t, first_out, count, to);
      if (final && !whole) {
        for (std::int64_t r = 0; r < count; r++) {
          const std::int64_t y = first_out + r;
          if (y < first || y >= end.last) continue;
          std::memcpy(p.back + layout.at(y, -1), to + r * stride - n,
                      static_cast<std::size_t>((layout.words + 2) * n) * 8);
        }
      }
      if (final && p.planes.moves) {
        const std::int64_t begun = std::max(first_out, first),
                           ended = std::min(first_out + count, end.last);
        if (begun < ended) window.leave(begun, ended);
      }
    }
  }
}

void close_rows(const StripLayout& layout, const RowSeams& seams, std::uint64_t* buffer,
                std::int64_t first, std::int64_t last) {
  const Closer closer(layout, seams);
  closer.close_rows(buffer + layout.at(first, 0), layout.stride * lanes(),
                    static_cast<int>(last - first));
}

void write_margins(const StripLayout& layout, const std::vector<MarginRow>& margins,
                   int generations, std::uint64_t* buffer) {
  const Tag d;
  for (const MarginRow& margin : margins) {
    if (margin.depth > generations) break;
    const auto lane = hn::SetTableIndices(d, margin.lane.data());
    const auto rest = hn::Ne(hn::LoadU(d, margin.rest.data()), hn::Zero(d));
    const Vec live = hn::LoadU(d, margin.live.data());
    const std::uint64_t* from = buffer + layout.at(margin.from, -1);
    const std::uint64_t* other = buffer + layout.at(margin.other, -1);
    std::uint64_t* to = buffer + layout.at(margin.to, -1);
    const std::int64_t words = (layout.words + 2) * lanes();
    if (from == other) {
      for (std::int64_t i = 0; i < words; i += lanes()) {
        store(hn::And(hn::TableLookupLanes(load(from + i), lane), live), to + i);
      }
    } else {
      for (std::int64_t i = 0; i < words; i += lanes()) {
        const Vec cells = hn::TableLookupLanes(load(from + i), lane);
        store(hn::And(replaced(cells, rest, lane, load(other + i)), live), to + i);
      }
    }
  }
}

int lane_count() { return static_cast<int>(lanes()); }
const char* target() { return hwy::TargetName(HWY_TARGET); }

// Ten independent words per round: enough gates in flight for any number of vector ports.
double ceiling(double seconds) {
  const Tag d;
  constexpr int kWords = 10;
  const Vec k0 = hn::Iota(d, 77), k1 = hn::Iota(d, 4242), k2 = hn::Iota(d, 991),
            k3 = hn::Iota(d, 31);
  Vec x[kWords];
  TESSERA_UNROLL
  for (int i = 0; i < kWords; i++) x[i] = hn::Iota(d, 1 + 53 * i);
  const auto start = std::chrono::steady_clock::now();
  double best = 0, elapsed = 0;
  while (elapsed < seconds) {
    const auto begin = std::chrono::steady_clock::now();
    constexpr int kTurns = 50'000;
    for (int turn = 0; turn < kTurns; turn++) {
      TESSERA_UNROLL
      for (int i = 0; i < kWords; i++) {
        const Vec xa = tessera_xor3(x[i], k0, k1), ma = tessera_maj3(x[i], k0, k1);
        x[i] = tessera_life(xa, ma, k0, k1, x[i], k2, k3);
      }
    }
    const auto end = std::chrono::steady_clock::now();
    const double taken = std::chrono::duration<double>(end - begin).count();
    best = std::max(best, kWords * kTurns * 64.0 * static_cast<double>(hn::Lanes(d)) / taken);
    elapsed = std::chrono::duration<double>(end - start).count();
  }
  // Keeps the chains alive.
  HWY_ALIGN std::uint64_t sink[HWY_MAX_BYTES / 8];
  volatile std::uint64_t keep = 0;
  TESSERA_UNROLL
  for (int i = 0; i < kWords; i++) {
    store(x[i], sink);
    keep = keep + sink[0];
  }
  return best;
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera {

HWY_EXPORT(pass);
HWY_EXPORT(close_rows);
HWY_EXPORT(write_margins);
HWY_EXPORT(lane_count);
HWY_EXPORT(target);
HWY_EXPORT(ceiling);

std::int64_t strip_scratch_words(const StripLayout& layout, int generations, int rows) {
  const std::int64_t group = rows * layout.stride + generations + 1;
  return layout.lanes * (group + generations * 2 * (layout.words + 2));
}

std::int64_t strip_handed_row_words(const StripLayout& layout) {
  return layout.lanes * (layout.words + 2);
}

std::int64_t strip_handed_words(const StripLayout& layout, int planes, int generations) {
  return generations * strip_handed_rows(planes) * strip_handed_row_words(layout);
}

int strip_lanes() { return HWY_DYNAMIC_DISPATCH(lane_count)(); }
const char* strip_target() { return HWY_DYNAMIC_DISPATCH(target)(); }
void strip_pass(const StripPass& pass) { HWY_DYNAMIC_DISPATCH(pass)(pass); }
void strip_close_rows(const StripLayout& layout, const RowSeams& seams, std::uint64_t* buffer,
                      std::int64_t first, std::int64_t last) {
  HWY_DYNAMIC_DISPATCH(close_rows)(layout, seams, buffer, first, last);
}
void strip_write_margins(const StripLayout& layout, const std::vector<MarginRow>& margins,
                         int generations, std::uint64_t* buffer) {
  HWY_DYNAMIC_DISPATCH(write_margins)(layout, margins, generations, buffer);
}
double strip_ceiling(double seconds) { return HWY_DYNAMIC_DISPATCH(ceiling)(seconds); }

}  // namespace tessera
#endif  // HWY_ONCE
