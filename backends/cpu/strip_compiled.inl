// Part of strip_kernel.cpp, compiled for each instruction set: a generation of a group by a rule's
// own machine code.

// Where generation t finds and leaves the planes from 1 on of rows `first` and on.
void place_planes(const PlaneWindow& window, int planes, int t, std::int64_t first,
                  StripCodeFrame& frame) {
  for (std::size_t p = 1; p < static_cast<std::size_t>(planes); p++) {
    frame.planes_in[p] = window.read_row(p, t - 1, first);
    frame.planes_out[p] = window.row(window.memory(t)[p], first);
  }
}

// What code that closes rows needs to know of them.
void place_seams(const RowSeams& seams, StripCodeFrame& frame) {
  const auto of = [&](StripSeam seam) -> auto& {
    return frame.seams[static_cast<std::size_t>(seam)];
  };
  for (std::size_t lane = 0; lane < kMaxLanes; lane++) {
    of(StripSeam::inner_left)[lane] = 0 - seams.inner_left[lane];
    of(StripSeam::inner_right)[lane] = 0 - seams.inner_right[lane];
    of(StripSeam::long_strips)[lane] = seams.long_strips[lane];
  }
}

// `frame` has the planes at column 0, and the seams. Rows of two words and more are closed.
HWY_NOINLINE void compiled_group(const Group& g, const StripCode& code, StripCodeFrame& frame,
                                 int planes) {
  const std::int64_t n = lanes();
  std::uint64_t* const state_a = g.state;
  std::uint64_t* const state_b = g.state + state_stride(g.words);
  const RowsAbove above(g);
  const RightAbove right(g);  // the group's output may replace them
  store(above.left_a, frame.left_a.data());
  store(above.left_b, frame.left_b.data());
  frame.stride = g.stride * 8;
  frame.rows = g.rows;
  // Blocks of columns that differ by one column at most: narrow ones load more for each.
  const std::int64_t blocks = ceil_div(g.words, std::int64_t{code.columns()});
  for (std::int64_t block = 0; block < blocks; block++) {
    const std::int64_t j = g.words * block / blocks, at = j * n;
    frame.in = g.in + at;
    frame.out = g.out + at;
    frame.above_a = g.above_a + at;
    frame.above_b = g.above_b + at;
    frame.keep_a = g.in + (g.rows - 2) * g.stride + at;
    frame.keep_b = g.in + (g.rows - 1) * g.stride + at;
    frame.state_a = state_a + at;
    frame.state_b = state_b + at;
    frame.to_row = -at * 8;
    const std::int64_t columns = g.words * (block + 1) / blocks - j;
    code.run(static_cast<int>(columns), g.words > 1 && block + 1 == blocks, frame);
    for (std::size_t p = 1; p < static_cast<std::size_t>(planes); p++) {
      frame.planes_in[p] += columns * n;
      frame.planes_out[p] += columns * n;
    }
  }
  right.keep(g);
}
