// Compiled once for every instruction set (Highway's foreach_target); the best one is chosen at run
// time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/strip_kernel.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "backends/cpu/strip_kernel.h"

// Loops over columns and blocks must vanish, so that what they index lives in registers.
#ifndef TESSERA_UNROLL
#ifdef __clang__
#define TESSERA_UNROLL _Pragma("unroll")
#else
#define TESSERA_UNROLL _Pragma("GCC unroll 16")
#endif
#endif

HWY_BEFORE_NAMESPACE();
namespace tessera {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<std::uint64_t>;
using Vec = hn::Vec<Tag>;

// vpternlog where the processor has it; the formulas of core/circuit.inl elsewhere.
#if HWY_TARGET <= HWY_AVX3
template <int kTable>
HWY_INLINE Vec lut3(Vec a, Vec b, Vec c) {
  return Vec{_mm512_ternarylogic_epi64(a.raw, b.raw, c.raw, kTable)};
}
#define TESSERA_LUT3(nn, a, b, c) lut3<nn>(a, b, c)
#endif
#define TESSERA_FN HWY_INLINE
#define TESSERA_WORD Vec
#define TESSERA_NOT(a) hn::Not(a)
#include "core/circuit.inl"
#undef TESSERA_FN
#undef TESSERA_WORD
#undef TESSERA_NOT
#undef TESSERA_LUT3

HWY_INLINE std::int64_t lanes() { return static_cast<std::int64_t>(hn::Lanes(Tag())); }
HWY_INLINE Vec load(const std::uint64_t* from) { return hn::Load(Tag(), from); }
HWY_INLINE void store(Vec v, std::uint64_t* to) { hn::Store(v, Tag(), to); }

// Three columns fill the 32 registers of AVX-512 without spilling; the older sets have 16.
constexpr int kColumnsAtOnce = HWY_TARGET <= HWY_AVX3 ? 3 : 2;

// A column of words rolling down its rows: row codes of the last two rows, and the last word
// itself.
struct Column {
  Vec xa, ma, xb, mb, x;

  // Moves one row down; `centre` with its neighbours is the row entered.
  HWY_INLINE void enter(Vec left, Vec centre, Vec right) {
    const Vec xc = tessera_xor3(left, centre, right), mc = tessera_maj3(left, centre, right);
    xa = xb, ma = mb, xb = xc, mb = mc, x = centre;
  }
  // The same, and returns the next state of the row left behind.
  HWY_INLINE Vec life(Vec left, Vec centre, Vec right) {
    const Vec xc = tessera_xor3(left, centre, right), mc = tessera_maj3(left, centre, right);
    const Vec next = tessera_life(xa, ma, xb, mb, x, xc, mc);
    xa = xb, ma = mb, xb = xc, mb = mc, x = centre;
    return next;
  }
};

// One generation of one group of rows: input rows 0 .. rows-1 give output rows -1 .. rows-2, which
// are stored at 0 .. rows-1. Pointers are to word 0 of a row, strides in 64-bit words.
//
// In place, `out` is one vector before `in`: each output word then takes the place of the word left
// of its own, which no column still needs, and nothing has to be saved from being overwritten.
struct Group {
  const std::uint64_t* in;
  std::uint64_t* out;
  std::uint64_t* state;  // input rows -2 and -1, ghosts too; become input rows rows-2 and rows-1
  std::int64_t stride;
  std::int64_t words;
  int rows;
};

HWY_INLINE std::int64_t state_stride(std::int64_t words) { return (words + 2) * lanes(); }

// The rows above a group, whose words are replaced column by column: what lies left of the column
// at hand is kept here.
struct RowsAbove {
  Vec left_a, left_b;

  // Columns begin: takes the left ghosts and puts those of the next rows there.
  HWY_INLINE explicit RowsAbove(const Group& g) {
    const std::int64_t n = lanes();
    std::uint64_t* a = g.state;
    std::uint64_t* b = a + state_stride(g.words);
    left_a = load(a - n), left_b = load(b - n);
    store(load(g.in + (g.rows - 2) * g.stride - n), a - n);
    store(load(g.in + (g.rows - 1) * g.stride - n), b - n);
  }
  // Columns end: the right ghosts.
  HWY_INLINE void finish(const Group& g) const {
    const std::int64_t right = g.words * lanes();
    store(load(g.in + (g.rows - 2) * g.stride + right), g.state + right);
    store(load(g.in + (g.rows - 1) * g.stride + right), g.state + state_stride(g.words) + right);
  }
  // Leads columns j .. j+kColumns-1 past both rows.
  template <int kColumns>
  HWY_INLINE void enter(const Group& g, std::int64_t j, Column* columns) {
    left_a = enter_row<kColumns>(g.state + j * lanes(), left_a, columns);
    left_b = enter_row<kColumns>(g.state + state_stride(g.words) + j * lanes(), left_b, columns);
  }

 private:
  template <int kColumns>
  static HWY_INLINE Vec enter_row(const std::uint64_t* row, Vec left, Column* columns) {
    Vec centre = load(row);
    TESSERA_UNROLL
    for (int c = 0; c < kColumns; c++) {
      const Vec right = load(row + (c + 1) * lanes());
      columns[c].enter(left, centre, right);
      left = centre;
      centre = right;
    }
    return left;
  }
};

// kColumns words of one row.
template <int kColumns>
HWY_INLINE void life_row(const std::uint64_t* in, std::uint64_t* out, Column* columns) {
  const std::int64_t n = lanes();
  Vec left = load(in - n), centre = load(in);
  TESSERA_UNROLL
  for (int c = 0; c < kColumns; c++) {
    const Vec right = load(in + (c + 1) * n);
    store(columns[c].life(left, centre, right), out + c * n);
    left = centre;
    centre = right;
  }
}

template <int kColumns>
HWY_INLINE void keep_row(const Column* columns, std::uint64_t* state) {
  TESSERA_UNROLL
  for (int c = 0; c < kColumns; c++) store(columns[c].x, state + c * lanes());
}

// kColumns columns of words side by side: they share the loads between them, and independent chains
// of gates hide each other's latency.
template <int kColumns>
HWY_INLINE void life_columns(const Group& g, std::int64_t j, RowsAbove& above) {
  const std::int64_t n = lanes(), stride = g.stride;
  Column columns[kColumns];
  above.enter<kColumns>(g, j, columns);
  const std::uint64_t* in = g.in + j * n;
  std::uint64_t* out = g.out + j * n;
  for (int r = g.rows - 2; r > 0; r--) {
    life_row<kColumns>(in, out, columns);
    in += stride;
    out += stride;
  }
  life_row<kColumns>(in, out, columns);
  keep_row<kColumns>(columns, g.state + j * n);
  life_row<kColumns>(in + stride, out + stride, columns);
  keep_row<kColumns>(columns, g.state + state_stride(g.words) + j * n);
}

HWY_NOINLINE void life_group(const Group& g) {
  RowsAbove above(g);
  std::int64_t j = 0;
  // A column alone has too few gates in flight: the last four go two by two.
  while (g.words - j >= kColumnsAtOnce && g.words - j != 4) {
    life_columns<kColumnsAtOnce>(g, j, above);
    j += kColumnsAtOnce;
  }
  for (; g.words - j >= 2; j += 2) life_columns<2>(g, j, above);
  if (j < g.words) life_columns<1>(g, j, above);
  above.finish(g);
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
  // f(p) for u1 = 0 and u1 = 1 apart, each from "one of k, u0" and "both".
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

// Inlined for speed; the sanitizers' checks in so many copies would take minutes to compile.
#ifdef TESSERA_SMALL_CODE
#define TESSERA_APPLY HWY_NOINLINE
#else
#define TESSERA_APPLY HWY_INLINE
#endif
TESSERA_APPLY void apply(int function, const Block& k, const Block& u0, const Block& u1,
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
#undef TESSERA_APPLY
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

// where ? a : b, bit by bit.
HWY_INLINE Vec choose(Vec where, Vec a, Vec b) {
#if HWY_TARGET <= HWY_AVX3
  return lut3<0xCA>(where, a, b);
#else
  return hn::Or(hn::And(where, a), hn::AndNot(where, b));
#endif
}

HWY_INLINE void rule_column(const Group& g, const RuleFunctions& rule, std::int64_t j,
                            RowsAbove& above) {
  const std::int64_t n = lanes(), stride = g.stride;
  const int dead_even = rule.of[0][0], dead_odd = rule.of[0][1];
  const int live_even = rule.of[1][0], live_odd = rule.of[1][1];
  Column c;
  above.enter<1>(g, j, &c);
  const std::uint64_t* in = g.in + j * n;
  std::uint64_t* out = g.out + j * n;
  for (int r = g.rows; r > 0; r -= kBlock) {
    Block t0, k, u0, u1, x;
    TESSERA_UNROLL
    for (int i = 0; i < kBlock; i++) {
      const Vec left = load(in - n), centre = load(in), right = load(in + n);
      const Vec xc = tessera_xor3(left, centre, right), mc = tessera_maj3(left, centre, right);
      t0.v[i] = tessera_t0(c.xa, c.xb, xc);
      k.v[i] = tessera_k(c.xa, c.xb, xc);
      u0.v[i] = tessera_u0(c.ma, c.mb, mc);
      u1.v[i] = tessera_u1(c.ma, c.mb, mc);
      x.v[i] = c.x;
      c.xa = c.xb, c.ma = c.mb, c.xb = xc, c.mb = mc, c.x = centre;
      in += stride;
    }
    Block even, odd, dead;
    apply(dead_even, k, u0, u1, even);
    apply(dead_odd, k, u0, u1, odd);
    TESSERA_UNROLL
    for (int i = 0; i < kBlock; i++) dead.v[i] = choose(t0.v[i], odd.v[i], even.v[i]);
    apply(live_even, k, u0, u1, even);
    apply(live_odd, k, u0, u1, odd);
    TESSERA_UNROLL
    for (int i = 0; i < kBlock; i++) {
      store(choose(x.v[i], choose(t0.v[i], odd.v[i], even.v[i]), dead.v[i]), out);
      out += stride;
    }
  }
  store(load(in - 2 * stride), g.state + j * n);
  store(c.x, g.state + state_stride(g.words) + j * n);
}

HWY_NOINLINE void rule_group(const Group& g, const RuleFunctions& rule) {
  RowsAbove above(g);
  for (std::int64_t j = 0; j < g.words; j++) rule_column(g, rule, j, above);
  above.finish(g);
}

// Closes rows at their ends; see RowSeams.
class Closer {
 public:
  Closer(const StripLayout& layout, const RowSeams& seams)
      : n_(lanes()),
        end_word_((layout.words - 1) * n_),
        last_word_(seams.last_word * n_),
        padding_word_(seams.padding_word * n_),
        has_padding_(seams.has_padding),
        wraps_(layout.boundary == Boundary::torus),
        previous_(hn::SetTableIndices(Tag(), seams.previous.data())),
        following_(hn::SetTableIndices(Tag(), seams.following.data())),
        last_column_(hn::SetTableIndices(Tag(), seams.last_column.data())),
        first_column_(hn::SetTableIndices(Tag(), seams.first_column.data())),
        inner_left_(hn::LoadU(Tag(), seams.inner_left.data())),
        outer_left_(hn::LoadU(Tag(), seams.outer_left.data())),
        right_(hn::LoadU(Tag(), seams.right.data())),
        padding_(hn::LoadU(Tag(), seams.padding.data())),
        last_bit_(hn::Set(Tag(), static_cast<std::uint64_t>(seams.last_bit))),
        padding_bit_(hn::Set(Tag(), static_cast<std::uint64_t>(seams.padding_bit))) {}

  // Without padding the first and the last strip meet, and the ghosts are the end words themselves,
  // one bit on. With padding its first column is column 0 on a torus, dead on a plane.
  HWY_INLINE void close_rows(std::uint64_t* row, std::int64_t stride, int rows) const {
    if (!has_padding_) {
      close<false, false>(row, stride, rows);
    } else if (wraps_) {
      close<true, true>(row, stride, rows);
    } else {
      close<true, false>(row, stride, rows);
    }
  }

 private:
  // `row` is word 0 of a vector row.
  template <bool kPadding, bool kWraps>
  HWY_INLINE void close(std::uint64_t* row, std::int64_t stride, int rows) const {
    const std::int64_t padding_word = padding_word_, last_word = last_word_, end_word = end_word_,
                       n = n_;
    for (; rows > 0; rows--, row += stride) {
      const Vec first = load(row);
      const Vec end = load(row + end_word);
      Vec above = first, below = end;  // what the right and left ghosts are made of
      if constexpr (kPadding) {
        Vec padded = load(row + padding_word);
        if constexpr (kWraps) {
          const Vec wrapped = hn::TableLookupLanes(first, first_column_) << padding_bit_;
          padded = choose(padding_, wrapped, padded);
        } else {
          padded = hn::AndNot(padding_, padded);
        }
        store(padded, row + padding_word);
        // The word may be one of the ends.
        if (padding_word == 0) above = padded;
        if (padding_word == end_word) below = padded;
      }
      const Vec carried = hn::ShiftRight<63>(hn::TableLookupLanes(below, previous_));
      Vec left = or_and(hn::ShiftLeft<1>(below), carried, inner_left_);
      if constexpr (kWraps) {
        const Vec last = hn::TableLookupLanes(load(row + last_word), last_column_);
        left = or_and(left, last >> last_bit_, outer_left_);
      }
      store(left, row - n);
      const Vec next = hn::ShiftLeft<63>(hn::TableLookupLanes(above, following_));
      store(or_and(hn::ShiftRight<1>(above), next, right_), row + end_word + n);
    }
  }

  // a | (b & c)
  static HWY_INLINE Vec or_and(Vec a, Vec b, Vec c) {
#if HWY_TARGET <= HWY_AVX3
    return lut3<0xF8>(a, b, c);
#else
    return hn::Or(a, hn::And(b, c));
#endif
  }

  using Indices = decltype(hn::SetTableIndices(Tag(), static_cast<const std::int64_t*>(nullptr)));
  const std::int64_t n_, end_word_, last_word_, padding_word_;
  const bool has_padding_, wraps_;
  const Indices previous_, following_, last_column_, first_column_;
  const Vec inner_left_, outer_left_, right_, padding_, last_bit_, padding_bit_;
};

// On a plane, cells outside the grid stay dead in every generation, not only in the margin that a
// pass begins with: clears the lanes of vector row `y` that hold no row of the grid.
HWY_INLINE void clear_outside(const StripLayout& layout, std::int64_t y, std::uint64_t* row) {
  HWY_ALIGN std::uint64_t inside[HWY_MAX_BYTES / 8] = {};
  for (int band = 0; band < layout.bands; band++) {
    const std::int64_t absolute = band * layout.band_rows + y;
    if (absolute < 0 || absolute >= layout.height) continue;
    std::fill_n(inside + band * layout.segments, layout.segments, ~std::uint64_t{0});
  }
  const Vec mask = load(inside);
  for (std::int64_t j = 0; j < layout.words; j++) {
    std::uint64_t* word = row + j * layout.lanes;
    store(hn::And(load(word), mask), word);
  }
}

// Brings part t of `generations` of a stretch of memory into the L2 cache: the work on one group
// hides the way from memory of the rows that the next group will read and write.
HWY_INLINE void fetch_ahead(const std::uint64_t* from, std::int64_t words, int t, int generations) {
  constexpr std::int64_t kLine = 8;
  const std::int64_t lines = words / kLine;
  for (std::int64_t i = lines * (t - 1) / generations; i < lines * t / generations; i++) {
    __builtin_prefetch(from + i * kLine, 0, 2);
  }
}

void pass(const StripPass& p) {
  const StripLayout& layout = *p.layout;
  const std::int64_t n = lanes(), stride = layout.stride * n;
  const Closer closer(layout, *p.seams);
  const RuleFunctions functions(p.rule);
  const bool life = p.rule == kLife, plane = layout.boundary == Boundary::plane;
  const std::int64_t group_words = p.rows * stride;
  const int generations = p.generations;
  // Rows move one vector to the left each generation.
  std::uint64_t* const rows = p.scratch + n;
  std::uint64_t* const states = rows + generations * n + group_words;
  const std::int64_t state_words = 2 * state_stride(layout.words);

  // The last generation's row of a group's first output row is `top - generations`.
  for (std::int64_t top = p.first - generations; top - generations < p.last; top += p.rows) {
    const std::uint64_t* in = p.front + layout.at(top, 0);
    for (int t = 1; t <= generations; t++) {
      const std::int64_t first_in = top - (t - 1), first_out = first_in - 1;
      // Nothing that this generation needs lies in this group yet.
      if (first_in + p.rows - 1 < p.first - (generations - t) - 1) break;
      const bool final = t == generations;
      const bool whole = first_out >= p.first && first_out + p.rows <= p.last;
      std::uint64_t* out =
          final && whole ? p.back + layout.at(first_out, 0) : rows + (generations - t) * n;
      if (top + 2 * p.rows <= layout.band_rows + layout.margin_bottom) {
        fetch_ahead(p.front + layout.at(top + p.rows, -1), group_words, t, generations);
      }
      const std::int64_t back_next = top + p.rows - generations;
      if (back_next >= p.first && back_next + p.rows <= p.last) {
        fetch_ahead(p.back + layout.at(back_next, -1), group_words, t, generations);
      }
      const Group group{in, out, states + (t - 1) * state_words + n, stride, layout.words, p.rows};
      if (life) {
        life_group(group);
      } else {
        rule_group(group, functions);
      }
      for (int r = 0; plane && r < p.rows; r++) {
        if (layout.partly_outside(first_out + r))
          clear_outside(layout, first_out + r, out + r * stride);
      }
      closer.close_rows(out, stride, p.rows);
      if (final && !whole) {
        for (int r = 0; r < p.rows; r++) {
          const std::int64_t y = first_out + r;
          if (y < p.first || y >= p.last) continue;
          std::memcpy(p.back + layout.at(y, -1), out + r * stride - n,
                      static_cast<std::size_t>((layout.words + 2) * n) * 8);
        }
      }
      in = out;
    }
  }
}

void close_rows(const StripLayout& layout, const RowSeams& seams, std::uint64_t* buffer,
                std::int64_t first, std::int64_t last) {
  const Closer closer(layout, seams);
  closer.close_rows(buffer + layout.at(first, 0), layout.stride * lanes(),
                    static_cast<int>(last - first));
}

int lane_count() { return static_cast<int>(lanes()); }
const char* target() { return hwy::TargetName(HWY_TARGET); }

// Ten independent words a turn: enough gates in flight for any number of vector ports.
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
HWY_EXPORT(lane_count);
HWY_EXPORT(target);
HWY_EXPORT(ceiling);

std::int64_t strip_scratch_words(const StripLayout& layout, int generations, int rows) {
  const std::int64_t group = rows * layout.stride + generations + 1;
  return layout.lanes * (group + generations * 2 * (layout.words + 2));
}

int strip_lanes() { return HWY_DYNAMIC_DISPATCH(lane_count)(); }
const char* strip_target() { return HWY_DYNAMIC_DISPATCH(target)(); }
void strip_pass(const StripPass& pass) { HWY_DYNAMIC_DISPATCH(pass)(pass); }
void strip_close_rows(const StripLayout& layout, const RowSeams& seams, std::uint64_t* buffer,
                      std::int64_t first, std::int64_t last) {
  HWY_DYNAMIC_DISPATCH(close_rows)(layout, seams, buffer, first, last);
}
double strip_ceiling(double seconds) { return HWY_DYNAMIC_DISPATCH(ceiling)(seconds); }

}  // namespace tessera
#endif  // HWY_ONCE
