// Part of strip_kernel.cpp, compiled for each instruction set.

using Ends = RowEnds;

// Closes rows at their ends; see RowSeams. The ghosts are the words at the ends, moved by one bit.
class Closer {
 public:
  Closer(const StripLayout& layout, const RowSeams& seams)
      : end_word_((layout.words - 1) * lanes()),
        ends_(RowClosing::of(layout).ends),
        unequal_(RowClosing::of(layout).unequal),
        some_without_columns_(layout.words == 1 && layout.long_strips < layout.strips()),
        previous_(hn::SetTableIndices(Tag(), seams.previous.data())),
        following_(hn::SetTableIndices(Tag(), seams.following.data())),
        inner_left_(nonzero(seams.inner_left.data())),
        inner_right_(nonzero(seams.inner_right.data())),
        long_strips_(hn::LoadU(Tag(), seams.long_strips.data())) {}

  // Calls `f` with the properties of the rows as constants: f.operator()<Ends, bool unequal>().
  template <class F>
  HWY_INLINE void with_constants(const F& f) const {
    if (ends_ == Ends::torus) {
      unequal_ ? f.template operator()<Ends::torus, true>()
               : f.template operator()<Ends::torus, false>();
    } else if (ends_ == Ends::plane) {
      unequal_ ? f.template operator()<Ends::plane, true>()
               : f.template operator()<Ends::plane, false>();
    } else if (ends_ == Ends::lanes) {
      unequal_ ? f.template operator()<Ends::lanes, true>()
               : f.template operator()<Ends::lanes, false>();
    } else if (ends_ == Ends::own_torus) {
      f.template operator()<Ends::own_torus, false>();
    } else {
      f.template operator()<Ends::own_plane, false>();
    }
  }

  // Stores the last word of a row at `end`, and the ghosts on either side, from the words at its
  // ends as they were computed. Where strips are unequal, `last` has the last columns of the longer
  // ones and `last_but_one` those of the shorter ones.
  template <Ends kEnds, bool kUnequal>
  TESSERA_INLINE void close(Vec first, Vec last_but_one, Vec last, std::uint64_t* end) const {
    const Vec right = right_of<kEnds>(first);
    Vec last_columns = last;
    if constexpr (kUnequal) {
      last_columns = choose(long_strips_, last, last_but_one);
      last = choose(long_strips_, last, right);
    }
    store(last, end);
    store_ghosts<kEnds>(last_columns, right, end);
  }

  // Closes rows that are in memory; `row` is word 0 of the first.
  TESSERA_INLINE void close_rows(std::uint64_t* row, std::int64_t stride, int rows) const {
    if (some_without_columns_) {
      for (int r = 0; r < rows; r++) {
        store(hn::And(load(row + r * stride), long_strips_), row + r * stride);
      }
    }
    with_constants([=, this]<Ends kEnds, bool kUnequal>() HWY_ATTR {
      const Closer own = *this;  // in registers: no store to a row is one to it
      std::uint64_t* end = row + own.end_word_;
      for (int r = rows; r > 0; r--, end += stride) {
        const Vec first = load(end - own.end_word_), last = load(end);
        if constexpr (kUnequal) {
          own.close<kEnds, true>(first, load(end - lanes()), last, end);
        } else {
          own.store_ghosts<kEnds>(last, own.right_of<kEnds>(first), end);
        }
      }
    });
  }

 private:
  static HWY_INLINE Mask nonzero(const std::uint64_t* lanes) {
    return hn::Ne(hn::LoadU(Tag(), lanes), hn::Zero(Tag()));
  }

  template <Ends kEnds>
  HWY_INLINE void store_ghosts(Vec last_columns, Vec right, std::uint64_t* end) const {
    store(left_of<kEnds>(last_columns), end - end_word_ - lanes());
    store(right, end + lanes());
  }

  // The neighbours left of the first columns, from the last columns of all strips.
  template <Ends kEnds>
  HWY_INLINE Vec left_of(Vec last) const {
    if constexpr (kEnds == Ends::own_torus) return last;
    if constexpr (kEnds == Ends::own_plane) return hn::Zero(Tag());
    if constexpr (kEnds == Ends::torus) return turned_right<63>(last);
    if constexpr (kEnds == Ends::plane) return hn::ShiftLeft<1>(last);
    // The top bit is rotated to the bottom.
    const Vec top = hn::Set(Tag(), std::uint64_t{1} << 63);
    const Vec before = replaced(hn::Zero(Tag()), inner_left_, previous_, last);
    return turned_right<63>(choose(top, before, last));
  }

  // The neighbours right of the last columns, from the first columns.
  template <Ends kEnds>
  HWY_INLINE Vec right_of(Vec first) const {
    if constexpr (kEnds == Ends::own_torus) return first;
    if constexpr (kEnds == Ends::own_plane) return hn::Zero(Tag());
    if constexpr (kEnds == Ends::torus) return turned_right<1>(first);
    if constexpr (kEnds == Ends::plane) return hn::ShiftRight<1>(first);
    const Vec bottom = hn::Set(Tag(), 1);
    const Vec after = replaced(hn::Zero(Tag()), inner_right_, following_, first);
    return turned_right<1>(choose(bottom, after, first));
  }

  template <int kBits>
  static HWY_INLINE Vec turned_right(Vec v) {
#if HWY_TARGET <= HWY_AVX3
    return hn::RotateRight<kBits>(v);
#else
    return hn::Or(hn::ShiftRight<kBits>(v), hn::ShiftLeft<64 - kBits>(v));
#endif
  }

  const std::int64_t end_word_;
  const Ends ends_;
  const bool unequal_;
  const bool some_without_columns_;  // on a plane: nothing may live there
  const Indices previous_, following_;
  const Mask inner_left_, inner_right_;
  const Vec long_strips_;
};
