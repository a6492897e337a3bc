// Compiled once for every instruction set (Highway's foreach_target); the best one is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/strip_kernel.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "backends/cpu/strip_kernel.h"

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

// What a column of words remembers between groups: row codes of its last two rows and the last word itself.
constexpr int kStateVectors = 5;

struct Column {
  Vec xa, ma, xb, mb, x;

  HWY_INLINE void load_from(const std::uint64_t* p, std::int64_t n) {
    xa = load(p), ma = load(p + n), xb = load(p + 2 * n), mb = load(p + 3 * n), x = load(p + 4 * n);
  }
  HWY_INLINE void store_to(std::uint64_t* p, std::int64_t n) const {
    store(xa, p), store(ma, p + n), store(xb, p + 2 * n), store(mb, p + 3 * n), store(x, p + 4 * n);
  }
  // Moves one row down: `centre` with its neighbours is the row below the one whose next state this returns.
  HWY_INLINE Vec life(Vec left, Vec centre, Vec right) {
    const Vec xc = tessera_xor3(left, centre, right), mc = tessera_maj3(left, centre, right);
    const Vec next = tessera_life(xa, ma, xb, mb, x, xc, mc);
    xa = xb, ma = mb, xb = xc, mb = mc, x = centre;
    return next;
  }
};

// One generation of one group of rows: input rows 0 .. rows-1 give output rows -1 .. rows-2, which are stored at 0 ..
// rows-1. Pointers are to word 0 of the first row, strides in 64-bit words.
struct Group {
  const std::uint64_t* in;
  std::uint64_t* out;
  std::uint64_t* state;
  std::int64_t stride;
  std::int64_t words;
  int rows;
};

// Two columns of words side by side share two of their six loads a row.
HWY_INLINE void life_columns_2(const Group& g, std::int64_t j) {
  const std::int64_t n = lanes();
  std::uint64_t* state = g.state + j * kStateVectors * n;
  Column a, b;
  a.load_from(state, n);
  b.load_from(state + kStateVectors * n, n);
  const std::uint64_t* in = g.in + (j - 1) * n;
  std::uint64_t* out = g.out + j * n;
  for (int r = 0; r < g.rows; r += 2) {
    for (int i = 0; i < 2; i++) {
      const Vec w0 = load(in), w1 = load(in + n), w2 = load(in + 2 * n), w3 = load(in + 3 * n);
      store(a.life(w0, w1, w2), out);
      store(b.life(w1, w2, w3), out + n);
      in += g.stride;
      out += g.stride;
    }
  }
  a.store_to(state, n);
  b.store_to(state + kStateVectors * n, n);
}

HWY_INLINE void life_columns_1(const Group& g, std::int64_t j) {
  const std::int64_t n = lanes();
  std::uint64_t* state = g.state + j * kStateVectors * n;
  Column a;
  a.load_from(state, n);
  const std::uint64_t* in = g.in + (j - 1) * n;
  std::uint64_t* out = g.out + j * n;
  for (int r = 0; r < g.rows; r++) {
    store(a.life(load(in), load(in + n), load(in + 2 * n)), out);
    in += g.stride;
    out += g.stride;
  }
  a.store_to(state, n);
}

HWY_NOINLINE void life_group(const Group& g) {
  std::int64_t j = 0;
  for (; j + 2 <= g.words; j += 2) life_columns_2(g, j);
  if (j < g.words) life_columns_1(g, j);
}

// Any other rule. Its next state depends on x, t0 and p = k + u0 + 2 u1, the nine-cell total being t0 + 2p. For each
// (x, t0) that is one of 32 functions of p = 0 .. 4, each of them one gate of (k, u0, u1): bit p of kFunction.
template <int kFunction>
HWY_INLINE Vec of_total(Vec k, Vec u0, Vec u1) {
  constexpr bool f0 = kFunction & 1, f1 = kFunction & 2, f2 = kFunction & 4, f3 = kFunction & 8,
                 f4 = kFunction & 16;
#if HWY_TARGET <= HWY_AVX3
  constexpr int kTable = f0 << 0 | f2 << 1 | f1 << 2 | f3 << 3 | f1 << 4 | f3 << 5 | f2 << 6 | f4 << 7;
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

// Rows that share one dispatch on the rule's functions: the branches cost little when four rows follow each.
constexpr int kBlock = 4;

struct Block {
  Vec v[kBlock];
};

template <int kFunction>
HWY_INLINE void apply_function(const Block& k, const Block& u0, const Block& u1, Block& out) {
  for (int i = 0; i < kBlock; i++) out.v[i] = of_total<kFunction>(k.v[i], u0.v[i], u1.v[i]);
}

HWY_INLINE void apply(int function, const Block& k, const Block& u0, const Block& u1, Block& out) {
#define TESSERA_CASE(f) \
  case f:               \
    apply_function<f>(k, u0, u1, out); \
    break;
#define TESSERA_CASES(f) TESSERA_CASE(f) TESSERA_CASE(f + 1) TESSERA_CASE(f + 2) TESSERA_CASE(f + 3)
  switch (function) {
    TESSERA_CASES(0)
    TESSERA_CASES(4)
    TESSERA_CASES(8)
    TESSERA_CASES(12)
    TESSERA_CASES(16)
    TESSERA_CASES(20)
    TESSERA_CASES(24)
    TESSERA_CASES(28)
    default:
      HWY_ABORT("a function of a total of 0 to 4 is one of 32");
  }
#undef TESSERA_CASES
#undef TESSERA_CASE
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

HWY_INLINE void rule_column(const Group& g, const RuleFunctions& rule, std::int64_t j) {
  const std::int64_t n = lanes();
  std::uint64_t* state = g.state + j * kStateVectors * n;
  Column c;
  c.load_from(state, n);
  const std::uint64_t* in = g.in + (j - 1) * n;
  std::uint64_t* out = g.out + j * n;
  for (int r = 0; r < g.rows; r += kBlock) {
    Block t0, k, u0, u1, x;
    for (int i = 0; i < kBlock; i++) {
      const Vec left = load(in), centre = load(in + n), right = load(in + 2 * n);
      const Vec xc = tessera_xor3(left, centre, right), mc = tessera_maj3(left, centre, right);
      t0.v[i] = tessera_t0(c.xa, c.xb, xc);
      k.v[i] = tessera_k(c.xa, c.xb, xc);
      u0.v[i] = tessera_u0(c.ma, c.mb, mc);
      u1.v[i] = tessera_u1(c.ma, c.mb, mc);
      x.v[i] = c.x;
      c.xa = c.xb, c.ma = c.mb, c.xb = xc, c.mb = mc, c.x = centre;
      in += g.stride;
    }
    Block even, odd, dead;
    apply(rule.of[0][0], k, u0, u1, even);
    apply(rule.of[0][1], k, u0, u1, odd);
    for (int i = 0; i < kBlock; i++) dead.v[i] = choose(t0.v[i], odd.v[i], even.v[i]);
    apply(rule.of[1][0], k, u0, u1, even);
    apply(rule.of[1][1], k, u0, u1, odd);
    for (int i = 0; i < kBlock; i++) {
      store(choose(x.v[i], choose(t0.v[i], odd.v[i], even.v[i]), dead.v[i]), out);
      out += g.stride;
    }
  }
  c.store_to(state, n);
}

HWY_NOINLINE void rule_group(const Group& g, const RuleFunctions& rule) {
  for (std::int64_t j = 0; j < g.words; j++) rule_column(g, rule, j);
}

// Closes rows at their ends; see RowSeams.
class Closer {
 public:
  Closer(const StripLayout& layout, const RowSeams& seams)
      : seams_(seams),
        n_(lanes()),
        words_(layout.words),
        previous_(hn::SetTableIndices(Tag(), seams.previous.data())),
        following_(hn::SetTableIndices(Tag(), seams.following.data())),
        last_column_(hn::SetTableIndices(Tag(), seams.last_column.data())),
        first_column_(hn::SetTableIndices(Tag(), seams.first_column.data())),
        inner_left_(hn::LoadU(Tag(), seams.inner_left.data())),
        outer_left_(hn::LoadU(Tag(), seams.outer_left.data())),
        right_(hn::LoadU(Tag(), seams.right.data())),
        padding_(hn::LoadU(Tag(), seams.padding.data())),
        wrapped_(hn::LoadU(Tag(), seams.wrapped.data())) {}

  // `row` is word 0 of a vector row.
  HWY_INLINE void close(std::uint64_t* row) const {
    if (seams_.has_padding) {
      std::uint64_t* word = row + seams_.padding_word * n_;
      const Vec first = hn::TableLookupLanes(load(row), first_column_);
      const Vec copy = hn::And(hn::ShiftLeftSame(first, seams_.padding_bit), wrapped_);
      store(hn::Or(hn::AndNot(padding_, load(word)), copy), word);
    }
    const Vec w0 = load(row), w_end = load(row + (words_ - 1) * n_);
    const Vec last = hn::TableLookupLanes(load(row + seams_.last_word * n_), last_column_);
    const Vec inner = hn::And(hn::ShiftRight<63>(hn::TableLookupLanes(w_end, previous_)), inner_left_);
    const Vec outer = hn::And(hn::ShiftRightSame(last, seams_.last_bit), outer_left_);
    store(hn::Or(hn::ShiftLeft<1>(w_end), hn::Or(inner, outer)), row - n_);
    const Vec next = hn::And(hn::ShiftLeft<63>(hn::TableLookupLanes(w0, following_)), right_);
    store(hn::Or(hn::ShiftRight<1>(w0), next), row + words_ * n_);
  }

 private:
  using Indices = decltype(hn::SetTableIndices(Tag(), static_cast<const std::int64_t*>(nullptr)));
  const RowSeams& seams_;
  const std::int64_t n_;
  const std::int64_t words_;
  const Indices previous_, following_, last_column_, first_column_;
  const Vec inner_left_, outer_left_, right_, padding_, wrapped_;
};

// On a plane, cells outside the grid stay dead in every generation, not only in the margin that a pass begins
// with: clears the lanes of vector row `y` that hold no row of the grid.
void clear_outside(const StripLayout& layout, std::int64_t y, std::uint64_t* row) {
  for (int band = 0; band < layout.bands; band++) {
    const std::int64_t absolute = band * layout.band_rows + y;
    if (absolute >= 0 && absolute < layout.height) continue;
    for (std::int64_t j = 0; j < layout.words; j++) {
      std::memset(row + j * layout.lanes + band * layout.segments, 0, 8 * layout.segments);
    }
  }
}

void pass(const StripPass& p) {
  const StripLayout& layout = *p.layout;
  const std::int64_t n = lanes(), stride = layout.stride * n;
  const Closer closer(layout, *p.seams);
  const RuleFunctions functions(p.rule);
  const bool life = p.rule == kLife, plane = layout.boundary == Boundary::plane;
  const std::int64_t group_words = p.rows * stride;
  std::uint64_t* const ping[2] = {p.scratch + n, p.scratch + group_words + n};
  std::uint64_t* const states = p.scratch + 2 * group_words;
  const std::int64_t state_words = layout.words * kStateVectors * n;
  const int generations = p.generations;

  // The last generation's row of a group's first output row is `top - generations`.
  for (std::int64_t top = p.first - generations; top - generations < p.last; top += p.rows) {
    const std::uint64_t* in = p.front + layout.at(top, 0);
    for (int t = 1; t <= generations; t++) {
      const std::int64_t first_in = top - (t - 1), first_out = first_in - 1;
      // Nothing that this generation needs lies in this group yet.
      if (first_in + p.rows - 1 < p.first - (generations - t) - 1) break;
      const bool final = t == generations;
      const bool whole = first_out >= p.first && first_out + p.rows <= p.last;
      std::uint64_t* out = final && whole ? p.back + layout.at(first_out, 0) : ping[t & 1];
      const Group group{in, out, states + (t - 1) * state_words, stride, layout.words, p.rows};
      if (life) {
        life_group(group);
      } else {
        rule_group(group, functions);
      }
      for (int r = 0; r < p.rows; r++) {
        if (plane && layout.partly_outside(first_out + r)) clear_outside(layout, first_out + r, out + r * stride);
        closer.close(out + r * stride);
      }
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
  for (std::int64_t y = first; y < last; y++) closer.close(buffer + layout.at(y, 0));
}

int lane_count() { return static_cast<int>(lanes()); }
const char* target() { return hwy::TargetName(HWY_TARGET); }

// Four independent words a turn: enough gates in flight for any number of vector ports.
double ceiling(double seconds) {
  const Tag d;
  constexpr int kWords = 4;
  Vec a[kWords], b[kWords], c[kWords];
  for (int i = 0; i < kWords; i++) {
    a[i] = hn::Iota(d, 1 + 77 * i);
    b[i] = hn::Iota(d, 4242 + 31 * i);
    c[i] = hn::Iota(d, 991 + 53 * i);
  }
  const auto start = std::chrono::steady_clock::now();
  double best = 0, elapsed = 0;
  while (elapsed < seconds) {
    const auto begin = std::chrono::steady_clock::now();
    constexpr int kTurns = 20000;
    for (int turn = 0; turn < kTurns; turn++) {
      for (int i = 0; i < kWords; i++) {
        const Vec x = tessera_xor3(a[i], b[i], c[i]), m = tessera_maj3(a[i], b[i], c[i]);
        const Vec next = tessera_life(x, m, a[i], b[i], c[i], b[i], a[i]);
        a[i] = b[i], b[i] = c[i], c[i] = next;
      }
    }
    const auto end = std::chrono::steady_clock::now();
    const double taken = std::chrono::duration<double>(end - begin).count();
    best = std::max(best, kWords * kTurns * 64.0 * static_cast<double>(hn::Lanes(d)) / taken);
    elapsed = std::chrono::duration<double>(end - start).count();
  }
  // Keeps the chains alive.
  HWY_ALIGN std::uint64_t sink[HWY_MAX_BYTES / 8];
  store(hn::Xor(hn::Xor(c[0], c[1]), hn::Xor(c[2], c[3])), sink);
  volatile std::uint64_t keep = sink[0];
  (void)keep;
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
  return 2 * rows * layout.stride * layout.lanes + generations * layout.words * 5 * layout.lanes;
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
