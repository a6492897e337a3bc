// Part of strip_kernel.cpp, compiled for each instruction set: columns of words rolling down the
// rows of a group, and Life's generation of a group.

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

// One generation of one group of rows: input rows 0 .. rows-1, with the two above them, give output
// rows -1 .. rows-2, which are stored at 0 .. rows-1; at least two rows. Pointers are to word 0 of
// a row, strides in 64-bit words.
//
// In place, `out` is one vector before `in`: each output word then takes the place of the word left
// of its own, which no column still needs, and nothing has to be saved from being overwritten.
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

// The rows above a group, whose words may be replaced column by column: what lies left of the
// column at hand is kept here.
struct RowsAbove {
  Vec left_a, left_b;

  // Columns begin: takes the left ghosts and puts those of the next rows there.
  HWY_INLINE explicit RowsAbove(const Group& g) {
    const std::int64_t n = lanes();
    std::uint64_t* a = g.state;
    std::uint64_t* b = a + state_stride(g.words);
    left_a = load(g.above_a - n), left_b = load(g.above_b - n);
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
    left_a = enter_row<kColumns>(g.above_a + j * lanes(), left_a, columns);
    left_b = enter_row<kColumns>(g.above_b + j * lanes(), left_b, columns);
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
