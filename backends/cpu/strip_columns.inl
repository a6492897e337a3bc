// Part of strip_kernel.cpp, compiled for each instruction set: columns of words rolling down the
// rows of a group, and Life's generation of a group.

// Three columns fill the 32 registers of AVX-512 without spilling; the older sets have 16.
constexpr int kColumnsAtOnce = HWY_TARGET <= HWY_AVX3 ? 3 : 2;

// A column of words rolling down its rows: row codes of the last two rows, and the last word
// itself.
struct Column {
  Vec xa, ma, xb, mb, x;

  // Moves one row down; `centre` with its neighbours is the new row.
  TESSERA_INLINE void enter(Vec left, Vec centre, Vec right) {
    const Vec xc = tessera_xor3(left, centre, right), mc = tessera_maj3(left, centre, right);
    xa = xb, ma = mb, xb = xc, mb = mc, x = centre;
  }
  // The same, and returns the next state of the row left behind.
  TESSERA_INLINE Vec life(Vec left, Vec centre, Vec right) {
    const Vec xc = tessera_xor3(left, centre, right), mc = tessera_maj3(left, centre, right);
    const Vec next = tessera_life(xa, ma, xb, mb, x, xc, mc);
    xa = xb, ma = mb, xb = xc, mb = mc, x = centre;
    return next;
  }
};

// One generation of one group of rows: input rows 0 .. rows-1, with the two above them, give output
// rows -1 .. rows-2, which are stored at 0 .. rows-1; at least two rows. Pointers are to word 0 of
// a row, strides in 64-bit words.
//
// In place, `out` is one vector before `in`. Each output word then takes the place of the word to
// its left, which no column needs any more, so that nothing has to be saved.
struct Group {
  const std::uint64_t* in;
  std::uint64_t* out;
  const std::uint64_t* above_a;  // input row -2, ghosts too
  const std::uint64_t* above_b;  // input row -1
  std::uint64_t* state;  // becomes input rows rows-2 and rows-1; may be where rows -2 and -1 are
  std::int64_t stride;
  std::int64_t words;
  int rows;
};

HWY_INLINE std::int64_t state_stride(std::int64_t words) { return (words + 2) * lanes(); }

// The rows above a group, whose words may be replaced column by column. The words left of the
// current column are kept here.
struct RowsAbove {
  Vec left_a, left_b;

  // Begins the columns: takes the left ghosts and puts those of the next rows in their place.
  HWY_INLINE explicit RowsAbove(const Group& g) {
    const std::int64_t n = lanes();
    std::uint64_t* a = g.state;
    std::uint64_t* b = a + state_stride(g.words);
    left_a = load(g.above_a - n), left_b = load(g.above_b - n);
    store(load(g.in + (g.rows - 2) * g.stride - n), a - n);
    store(load(g.in + (g.rows - 1) * g.stride - n), b - n);
  }
  // Moves columns j .. j+kColumns-1 past both rows.
  template <int kColumns>
  HWY_INLINE void enter(const Group& g, std::int64_t j, Column* columns) {
    left_a = enter_row<kColumns>(g.above_a + j * lanes(), left_a, columns);
    left_b = enter_row<kColumns>(g.above_b + j * lanes(), left_b, columns);
  }

 private:
  template <int kColumns>
  static TESSERA_INLINE Vec enter_row(const std::uint64_t* row, Vec left, Column* columns) {
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

// The right ghosts of the next group's rows above.
struct RightAbove {
  Vec a, b;

  HWY_INLINE explicit RightAbove(const Group& g)
      : a(load(g.in + (g.rows - 2) * g.stride + g.words * lanes())),
        b(load(g.in + (g.rows - 1) * g.stride + g.words * lanes())) {}
  // All columns have seen those of this group.
  HWY_INLINE void keep(const Group& g) const {
    store(a, g.state + g.words * lanes());
    store(b, g.state + state_stride(g.words) + g.words * lanes());
  }
};

// How the last of several adjacent columns is stored: like the others, ...
struct WithinRow {
  HWY_INLINE void store_last(Vec last, Vec, std::uint64_t* to) const { store(last, to); }
};
// ... or as the last of the row, which is closed while its words are in registers.
template <Ends kEnds, bool kUnequal>
struct EndOfRow {
  const Closer closer;  // a copy, in registers: no store to a row is one to it
  std::int64_t end_word;
  HWY_INLINE void store_last(Vec last, Vec last_but_one, std::uint64_t* to) const {
    closer.close<kEnds, kUnequal>(load(to - end_word), last_but_one, last, to);
  }
};

// kColumns words of one row.
template <int kColumns, class End>
TESSERA_INLINE void life_row(const std::uint64_t* in, std::uint64_t* out, Column* columns,
                             const End& end) {
  const std::int64_t n = lanes();
  Vec left = load(in - n), centre = load(in), before = centre;
  if constexpr (kColumns == 1) before = load(out - n);
  TESSERA_UNROLL
  for (int c = 0; c < kColumns; c++) {
    const Vec right = load(in + (c + 1) * n);
    // The first operand is replaced (lut3): of the first column, and of the last, no other needs
    // it.
    const Vec next =
        c == 0 ? columns[c].life(left, centre, right) : columns[c].life(right, centre, left);
    if (c + 1 < kColumns) {
      store(next, out + c * n);
    } else {
      end.store_last(next, before, out + c * n);
    }
    before = next;
    left = centre;
    centre = right;
  }
}

template <int kColumns>
HWY_INLINE void keep_row(const Column* columns, std::uint64_t* state) {
  TESSERA_UNROLL
  for (int c = 0; c < kColumns; c++) store(columns[c].x, state + c * lanes());
}

// kColumns adjacent columns of words. They share loads, and independent chains of gates hide each
// other's latency.
template <int kColumns, class End>
HWY_INLINE void life_columns(const Group& g, std::int64_t j, RowsAbove& above, const End& end) {
  const std::int64_t n = lanes(), stride = g.stride;
  Column columns[kColumns];
  above.enter<kColumns>(g, j, columns);
  const std::uint64_t* in = g.in + j * n;
  std::uint64_t* out = g.out + j * n;
  // Three rows at a time: what a row leaves for the next two stays in the registers where it is,
  // where a loop over single rows moves all of it from one to another.
  int left = g.rows - 2;
  for (; left >= 3; left -= 3) {
    TESSERA_UNROLL
    for (int r = 0; r < 3; r++, in += stride, out += stride)
      life_row<kColumns>(in, out, columns, end);
  }
  for (; left > 0; left--, in += stride, out += stride) life_row<kColumns>(in, out, columns, end);
  life_row<kColumns>(in, out, columns, end);
  keep_row<kColumns>(columns, g.state + j * n);
  life_row<kColumns>(in + stride, out + stride, columns, end);
  keep_row<kColumns>(columns, g.state + state_stride(g.words) + j * n);
}

// One generation of a group; its output rows are closed.
HWY_NOINLINE void life_group(const Group& g, const Closer& closer) {
  RowsAbove above(g);
  const WithinRow within;
  std::int64_t j = 0;
  const auto left = [&] { return g.words - j; };
  const auto step = [&]<int kColumns>() HWY_ATTR {
    life_columns<kColumns>(g, j, above, within);
    j += kColumns;
  };
  // One or two columns have too few gates in flight, so that the last eight columns go four by
  // four, although not all of their row codes stay in registers, and four alone two by two.
  constexpr int kMost = kColumnsAtOnce == 3 ? 4 : kColumnsAtOnce;
  while (left() > kMost && left() != 2 * kMost) step.template operator()<kColumnsAtOnce>();
  if (left() == 2 * kMost) step.template operator()<kMost>();
  if (left() == 4 && j == 0) step.template operator()<2>();
  if (j > 0) {
    const RightAbove right(g);  // the group's output may replace them
    closer.with_constants([&, j]<Ends kEnds, bool kUnequal>() HWY_ATTR {
      const EndOfRow<kEnds, kUnequal> end{closer, (g.words - 1) * lanes()};
      if (kMost > kColumnsAtOnce && left() == kMost) {
        life_columns<kMost>(g, j, above, end);
      } else if (left() == kColumnsAtOnce) {
        life_columns<kColumnsAtOnce>(g, j, above, end);
      } else {
        life_columns<kColumnsAtOnce - 1>(g, j, above, end);
      }
    });
    right.keep(g);
    return;
  }
  // A row so short ends where it begins.
  if (g.words == 1) {
    life_columns<1>(g, j, above, within);
  } else if (g.words == 2) {
    life_columns<2>(g, j, above, within);
  } else {
    life_columns<kColumnsAtOnce>(g, j, above, within);
  }
  RightAbove(g).keep(g);
  closer.close_rows(g.out, g.stride, g.rows);
}
