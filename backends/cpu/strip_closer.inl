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
        alone_(layout.segments == 1),
        previous_(hn::SetTableIndices(Tag(), seams.previous.data())),
        following_(hn::SetTableIndices(Tag(), seams.following.data())),
        last_column_(hn::SetTableIndices(Tag(), seams.last_column.data())),
        first_column_(hn::SetTableIndices(Tag(), seams.first_column.data())),
        inner_left_(nonzero(seams.inner_left.data())),
        inner_right_(nonzero(seams.inner_right.data())),
        padding_(hn::LoadU(Tag(), seams.padding.data())),
        to_top_(hn::Set(Tag(), static_cast<std::uint64_t>(63 - seams.last_bit))),
        padding_bit_(hn::Set(Tag(), static_cast<std::uint64_t>(seams.padding_bit))) {}

  // Without padding the first and the last strip meet, and the ghosts are the end words themselves,
  // one bit on. With padding its first column is column 0 on a torus, dead on a plane. A row of one
  // segment meets no other lane.
  HWY_INLINE void close_rows(std::uint64_t* row, std::int64_t stride, int rows) const {
    if (alone_) {
      close_rows<true>(row, stride, rows);
    } else {
      close_rows<false>(row, stride, rows);
    }
  }

 private:
  static HWY_INLINE Mask nonzero(const std::uint64_t* lanes) {
    return hn::Ne(hn::LoadU(Tag(), lanes), hn::Zero(Tag()));
  }

  template <bool kAlone>
  HWY_INLINE void close_rows(std::uint64_t* row, std::int64_t stride, int rows) const {
    if (!has_padding_ && wraps_) {
      close<kAlone, false, true>(row, stride, rows);
    } else if (!has_padding_) {
      close<kAlone, false, false>(row, stride, rows);
    } else if (wraps_) {
      close<kAlone, true, true>(row, stride, rows);
    } else {
      close<kAlone, true, false>(row, stride, rows);
    }
  }

  // `row` is word 0 of a vector row.
  template <bool kAlone, bool kPadding, bool kWraps>
  HWY_INLINE void close(std::uint64_t* row, std::int64_t stride, int rows) const {
    const std::int64_t padding_word = padding_word_, last_word = last_word_, end_word = end_word_,
                       n = n_;
    const Vec bottom = hn::Set(Tag(), 1), top = hn::Set(Tag(), std::uint64_t{1} << 63);
    for (; rows > 0; rows--, row += stride) {
      const Vec first = load(row);
      const Vec end = load(row + end_word);
      Vec right_of_row = first;
      if constexpr (kPadding) {
        Vec padded = load(row + padding_word);
        if constexpr (kWraps) {
          const Vec wrapped = moved<kAlone>(first, first_column_) << padding_bit_;
          padded = choose(padding_, wrapped, padded);
        } else {
          padded = hn::AndNot(padding_, padded);
        }
        store(padded, row + padding_word);
        if (padding_word == 0) right_of_row = padded;
      }
      if constexpr (kAlone && !kPadding && kWraps) {
        store(turned_right<63>(end), row - n);
        store(turned_right<1>(first), row + end_word + n);
        continue;
      }
      // What comes into the top bit, to be turned to the bottom, and the other way round.
      Vec before = hn::Zero(Tag()), after = before;
      if constexpr (kWraps && kPadding) {
        before = moved<kAlone>(load(row + last_word), last_column_) << to_top_;
      }
      if constexpr (!kAlone) {
        before = replaced(before, inner_left_, previous_, end);
        after = replaced(after, inner_right_, following_, right_of_row);
      }
      Vec left = hn::ShiftLeft<1>(end), right = hn::ShiftRight<1>(right_of_row);
      if constexpr (!kAlone || (kWraps && kPadding)) {
        left = turned_right<63>(choose(top, before, end));
      }
      if constexpr (!kAlone) right = turned_right<1>(choose(bottom, after, right_of_row));
      store(left, row - n);
      store(right, row + end_word + n);
    }
  }

  // Lanes from elsewhere in the vector; a row alone in its lane has nowhere else.
  template <bool kAlone>
  static HWY_INLINE Vec moved(Vec v, const Indices& from) {
    if constexpr (kAlone) {
      return v;
    } else {
      return hn::TableLookupLanes(v, from);
    }
  }

  template <int kBits>
  static HWY_INLINE Vec turned_right(Vec v) {
#if HWY_TARGET <= HWY_AVX3
    return hn::RotateRight<kBits>(v);
#else
    return hn::Or(hn::ShiftRight<kBits>(v), hn::ShiftLeft<64 - kBits>(v));
#endif
  }

  const std::int64_t n_, end_word_, last_word_, padding_word_;
  const bool has_padding_, wraps_, alone_;
  const Indices previous_, following_, last_column_, first_column_;
  const Mask inner_left_, inner_right_;
  const Vec padding_, to_top_, padding_bit_;
};
