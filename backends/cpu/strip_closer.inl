// Part of strip_kernel.cpp, compiled for each instruction set.

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
      Vec right_of_row = first;
      if constexpr (kPadding) {
        Vec padded = load(row + padding_word);
        if constexpr (kWraps) {
          const Vec wrapped = hn::TableLookupLanes(first, first_column_) << padding_bit_;
          padded = choose(padding_, wrapped, padded);
        } else {
          padded = hn::AndNot(padding_, padded);
        }
        store(padded, row + padding_word);
        if (padding_word == 0) right_of_row = padded;
      }
      const Vec carried = hn::ShiftRight<63>(hn::TableLookupLanes(end, previous_));
      Vec left = or_and(hn::ShiftLeft<1>(end), carried, inner_left_);
      if constexpr (kWraps) {
        const Vec last = hn::TableLookupLanes(load(row + last_word), last_column_);
        left = or_and(left, last >> last_bit_, outer_left_);
      }
      store(left, row - n);
      const Vec next = hn::ShiftLeft<63>(hn::TableLookupLanes(right_of_row, following_));
      store(or_and(hn::ShiftRight<1>(right_of_row), next, right_), row + end_word + n);
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
