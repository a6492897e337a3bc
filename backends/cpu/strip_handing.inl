// Part of strip_kernel.cpp, compiled for each instruction set: rows that stretches hand on to each
// other.

// What a stretch leaves for the one above it, and takes from the one below.
class Handing {
 public:
  Handing(const StripPass& p, const PlaneWindow& window)
      : layout_(*p.layout),
        window_(window),
        generations_(p.generations),
        planes_(p.planes.moves ? p.planes.moves->planes() : 1),
        moves_(p.planes.moves) {}

  // Before the group whose first input row is `top`: finds what the next one will take and leave.
  HWY_INLINE void look_ahead(Stretch& stretch, const Stretch::End& end, std::int64_t top,
                             std::int64_t rows) {
    taken_ = left_ = {};
    if (end.below) {
      taken_ = ahead(end.below->handed(), end.last - top - rows, rows);
      if (!end.below->handed().is_left(taken_.last)) taken_ = {};
    }
    if (stretch.leaves()) left_ = ahead(*stretch.leaves(), stretch.first() - top - rows, rows);
  }
  // The part of generation t.
  HWY_INLINE void fetch_ahead(int t) const {
    if (taken_.from) taken_.fetch.part<0>(taken_.from, t);
    if (left_.from) left_.fetch.part<1>(left_.from, t);
  }

  // Leaves what lies among `count` rows of generation t from row `first_out` on, which is at `out`.
  HWY_INLINE void leave(Stretch& stretch, int t, std::int64_t first_out, std::int64_t count,
                        const std::uint64_t* out) const {
    HandedRows* const to = stretch.leaves();
    if (!to || t == generations_) return;
    const std::int64_t first = stretch.first() - (generations_ - t);
    for (std::int64_t i = 0; i < 2; i++) {
      const std::int64_t at = first + i - first_out;
      if (at < 0 || at >= count) continue;
      copy_row(out + at * layout_.stride * lanes(), to->row(t, static_cast<int>(i)) + lanes());
      if (i == 0) {
        for_planes(
            [&](int p) { copy_row(window_.row(place(t, p), first), to->row(t, 1 + p) + lanes()); });
      } else {
        to->leave(t);
      }
    }
  }

  // Puts the rows behind the last one of generation t in their place among `count` rows from
  // `first_in` on, which is at `in`: generation t + 1 reads both, and of further planes the first.
  HWY_INLINE void take(const Stretch::End& end, int t, std::int64_t first_in, std::int64_t count,
                       std::uint64_t* in) const {
    if (!end.below || t == 0) return;
    const HandedRows& handed = end.below->handed();
    const std::int64_t first = end.last - (generations_ - t);
    for (std::int64_t i = 0; i < 2; i++) {
      const std::int64_t at = first + i - first_in;
      if (at < 0 || at >= count) continue;
      handed.wait_for(t);
      copy_row(handed.row(t, static_cast<int>(i)) + lanes(), in + at * layout_.stride * lanes());
      // A group's rows of further planes lie one row higher.
      if (i == 0) continue;
      for_planes([&](int p) {
        copy_row(handed.row(t, 1 + p) + lanes(), window_.row(place(t, p), first));
      });
    }
  }

 private:
  struct Ahead {
    const std::uint64_t* from = nullptr;
    int last = 0;  // generation
    FetchAhead fetch{0, 1};
  };

  // Generations whose first handed row lies in a group of `rows` rows; in the last one it is row
  // `at` of that group's rows of generation 0.
  HWY_INLINE Ahead ahead(const HandedRows& handed, std::int64_t at, std::int64_t rows) const {
    const std::int64_t below = at - generations_;
    const std::int64_t first = std::max<std::int64_t>(1, -below / 2),
                       last = std::min<std::int64_t>(generations_ - 1, (rows - below) / 2);
    if (first > last) return {};
    const std::uint64_t* const from = handed.row(static_cast<int>(first), 0);
    const std::uint64_t* const end = handed.row(static_cast<int>(last) + 1, 0);
    return {from, static_cast<int>(last), FetchAhead(end - from, generations_)};
  }
  // Word 0 of a row each; ghosts too.
  HWY_INLINE void copy_row(const std::uint64_t* from, std::uint64_t* to) const {
    std::memcpy(to - lanes(), from - lanes(),
                static_cast<std::size_t>((layout_.words + 2) * lanes()) * 8);
  }
  template <class Each>
  HWY_INLINE void for_planes(const Each& each) const {
    for (int p = 1; p < planes_; p++)
      if (!moves_->stays(p)) each(p);
  }
  int place(int t, int plane) const { return window_.memory(t)[static_cast<std::size_t>(plane)]; }

  const StripLayout& layout_;
  const PlaneWindow& window_;
  int generations_, planes_;
  const PlaneMoves* moves_;
  Ahead taken_, left_;
};
