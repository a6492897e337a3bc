// Compiled once for every instruction set (Highway's foreach_target); the best one is chosen at run
// time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/box_kernel.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <array>
#include <bit>
#include <cstddef>

#include "backends/cpu/box_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace tessera {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<std::uint64_t, 8>;
using Vec = hn::Vec<Tag>;

#include "backends/cpu/lut_gates.inl"

// Calls f(kFirst) to f(kLast - 1): what it does lives in registers.
template <int kFirst, int kLast, class F>
HWY_INLINE void repeat(const F& f) {
  if constexpr (kFirst < kLast) {
    f(kFirst);
    repeat<kFirst + 1, kLast>(f);
  }
}

// Numbers of bits that are known when this is compiled, or any.
template <int kRowBits, int kBoxBits>
struct Bits {
  static constexpr int kMostRow = kRowBits;
  explicit Bits(const BoxRow&) {}
  static constexpr int row() { return kRowBits; }
  static constexpr int box() { return kBoxBits; }
  // The bits of a row's sum from kFirst on, and those of a box's behind one more than these.
  template <int kFirst, class F>
  HWY_INLINE void rows(const F& f) const {
    repeat<kFirst, kRowBits>(f);
  }
  template <class F>
  HWY_INLINE void rest(const F& f) const {
    repeat<kRowBits + 1, kBoxBits>(f);
  }
};

template <>
struct Bits<0, 0> {
  static constexpr int kMostRow = 20;
  explicit Bits(const BoxRow& r) : row_bits(r.row_bits), box_bits(r.box_bits) {}
  explicit Bits(int bits) : row_bits(bits), box_bits(bits) {}
  int row() const { return row_bits; }
  int box() const { return box_bits; }
  template <int kFirst, class F>
  void rows(const F& f) const {
    for (int i = kFirst; i < row_bits; i++) f(i);
  }
  template <class F>
  void rest(const F& f) const {
    for (int i = row_bits + 1; i < box_bits; i++) f(i);
  }
  int row_bits, box_bits;
};

// n += c, from bit `first` on.
template <int kFirst, class Size>
HWY_INLINE void add_bit(const Size& size, Vec* n, Vec c) {
  size.template rows<kFirst>([&](int i) __attribute__((always_inline)) {
    const Vec carry = hn::And(n[i], c);
    n[i] = hn::Xor(n[i], c);
    c = carry;
  });
}

// n = the sum of the groups cell(0) to cell(count - 1): full adders over four cells at a time.
template <class Size, class Cell>
HWY_INLINE void add_cells(const Size& size, const Cell& cell, std::int64_t count, Vec* n) {
  const Tag d;
  size.template rows<0>([&](int i) __attribute__((always_inline)) { n[i] = hn::Zero(d); });
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const Vec a = cell(i), b = cell(i + 1), c = cell(i + 2), e = cell(i + 3);
    const Vec first = lut3<0xE8>(n[0], a, b);
    n[0] = lut3<0x96>(n[0], a, b);
    const Vec second = lut3<0xE8>(n[0], c, e);
    n[0] = lut3<0x96>(n[0], c, e);
    const Vec fours = lut3<0xE8>(n[1], first, second);
    n[1] = lut3<0x96>(n[1], first, second);
    add_bit<2>(size, n, fours);
  }
  for (; i < count; i++) add_bit<0>(size, n, cell(i));
}

// n += enters - leaves: t says whether a carry or, where nothing enters, a borrow goes on.
template <class Size>
HWY_INLINE void run(const Size& size, Vec* n, Vec enters, Vec leaves) {
  Vec t = lut3<0x42>(n[0], enters, leaves);
  n[0] = lut3<0x96>(n[0], enters, leaves);
  size.template rows<1>([&](int i) __attribute__((always_inline)) {
    const Vec x = n[i];
    n[i] = hn::Xor(x, t);
    if (i + 1 < size.row()) t = lut3<0x90>(t, x, enters);
  });
}

// The sums of a column += plus - the group's `minus`.
template <class Size>
HWY_INLINE void add_box(const Size& size, const Vec* plus, const std::uint64_t* minus,
                        std::uint64_t* sums, std::int64_t stride) {
  const Tag d;
  Vec borrow = hn::Zero(d), carry = borrow;
  size.template rows<0>([&](int i) __attribute__((always_inline)) {
    const Vec m = hn::Load(d, minus + i * kBoxLanes), p = plus[i];
    const Vec s = hn::Load(d, sums + i * stride);
    if (i == 0) {
      const Vec difference = hn::Xor(p, m);
      borrow = hn::AndNot(p, m);
      hn::Store(hn::Xor(s, difference), d, sums);
      carry = hn::And(s, difference);
    } else {
      const Vec difference = lut3<0x96>(p, m, borrow);
      borrow = lut3<0x8E>(p, m, borrow);
      hn::Store(lut3<0x96>(s, difference, carry), d, sums + i * stride);
      carry = lut3<0xE8>(s, difference, carry);
    }
  });
  std::uint64_t* const middle = sums + size.row() * stride;
  const Vec n = hn::Load(d, middle);
  hn::Store(lut3<0x96>(n, carry, borrow), d, middle);
  Vec t = lut3<0x42>(n, carry, borrow);
  size.rest([&](int i) __attribute__((always_inline)) {
    const Vec x = hn::Load(d, sums + i * stride);
    hn::Store(hn::Xor(x, t), d, sums + i * stride);
    if (i + 1 < size.box()) t = lut3<0x90>(t, x, carry);
  });
}

template <int kRowBits, int kBoxBits>
void add_row(const BoxRow& row) {
  using Size = Bits<kRowBits, kBoxBits>;
  const Size size(row);
  const Tag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t lane = 0; lane < kBoxLanes; lane += lanes) {
    const std::uint64_t* cells = row.cells + lane;
    std::uint64_t* leaving = row.leaving + lane;
    std::uint64_t* sums = row.sums + lane;
    Vec n[Size::kMostRow];
    const auto cell = [&](std::int64_t i) __attribute__((always_inline)) {
      return hn::Load(d, cells + (i - row.radius) * kBoxLanes);
    };
    add_cells(size, cell, 2 * row.radius + 1, n);
    for (std::int64_t j = 0; j < row.columns; j++) {
      if (j > 0) {
        run(size, n, hn::Load(d, cells + (j + row.radius) * kBoxLanes),
            hn::Load(d, cells + (j - row.radius - 1) * kBoxLanes));
      }
      add_box(size, n, leaving, sums, row.stride);
      size.template rows<0>([&](int i) __attribute__((always_inline)) {
        hn::Store(n[i], d, leaving + i * kBoxLanes);
      });
      leaving += size.row() * kBoxLanes;
      sums += kBoxLanes;
    }
  }
}

BoxFunction function_for(int row_bits, int box_bits) {
#ifndef TESSERA_SMALL_CODE
  switch (32 * row_bits + box_bits) {
    case 32 * 2 + 4:
      return add_row<2, 4>;
    case 32 * 3 + 5:
      return add_row<3, 5>;
    case 32 * 3 + 6:
      return add_row<3, 6>;
    case 32 * 4 + 8:
      return add_row<4, 8>;
    case 32 * 5 + 9:
      return add_row<5, 9>;
    case 32 * 5 + 10:
      return add_row<5, 10>;
    case 32 * 6 + 11:
      return add_row<6, 11>;
    case 32 * 6 + 12:
      return add_row<6, 12>;
    default:
      break;
  }
#endif
  return row_bits == 4 && box_bits == 7 ? add_row<4, 7> : add_row<0, 0>;
}

void count_all(const std::uint64_t* at, const std::int64_t* distances, std::size_t count, int bits,
               std::uint64_t* counts) {
  const Bits<0, 0> size(bits);
  const Tag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t lane = 0; lane < kBoxLanes; lane += lanes) {
    Vec n[Bits<0, 0>::kMostRow];
    const auto cell = [&](std::int64_t i) __attribute__((always_inline)) {
      return hn::Load(d, at + distances[i] + lane);
    };
    add_cells(size, cell, static_cast<std::int64_t>(count), n);
    for (int i = 0; i < bits; i++) hn::Store(n[i], d, counts + i * kBoxLanes + lane);
  }
}

// Rows innermost, so that what a move needs stays in registers.
void move_all(std::uint64_t* row, std::int64_t rows, std::int64_t stride, const BoxMove* moves,
              std::size_t count) {
  const Tag d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::size_t i = 0; i < count; i++) {
    const BoxMove& move = moves[i];
    const Vec mask = hn::Set(d, move.mask), keep = hn::Set(d, move.keep);
    const int left = move.rotation, right = (64 - left) % 64;
    for (std::int64_t at = 0; at < kBoxLanes; at += lanes) {
      const std::uint64_t* from = row + move.from * kBoxLanes + at;
      std::uint64_t* to = row + move.to * kBoxLanes + at;
      for (std::int64_t r = 0; r < rows; r++, from += stride, to += stride) {
        const Vec x = hn::Load(d, from);
        const Vec turned = hn::Or(hn::ShiftLeftSame(x, left), hn::ShiftRightSame(x, right));
        hn::Store(hn::Or(hn::And(turned, mask), hn::And(hn::Load(d, to), keep)), d, to);
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera {

HWY_EXPORT(function_for);
HWY_EXPORT(count_all);
HWY_EXPORT(move_all);

int box_row_bits(int radius) { return std::bit_width(2 * static_cast<unsigned>(radius) + 1); }

int box_cost(int row_bits, int box_bits) {
  // A sum along a row takes 2 gates for its first bit and 2 for each other but the last, one; that
  // of boxes 4 for each bit of the row's and 2 for each other, but one less at the end.
  return 2 * row_bits - 1 + 2 * row_bits + 2 * box_bits - 1;
}

BoxFunction box_function(int row_bits, int box_bits) {
  return HWY_DYNAMIC_DISPATCH(function_for)(row_bits, box_bits);
}

void count_cells(const std::uint64_t* at, std::span<const std::int64_t> distances, int bits,
                 std::uint64_t* counts) {
  HWY_DYNAMIC_DISPATCH(count_all)(at, distances.data(), distances.size(), bits, counts);
}

void move_cells(std::uint64_t* row, std::int64_t rows, std::int64_t stride,
                std::span<const BoxMove> moves) {
  HWY_DYNAMIC_DISPATCH(move_all)(row, rows, stride, moves.data(), moves.size());
}

}  // namespace tessera
#endif  // HWY_ONCE
