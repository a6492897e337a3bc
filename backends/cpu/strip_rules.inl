// Part of strip_kernel.cpp, compiled for each instruction set: a generation of a group under any
// rule.

static_assert(kBlock == kRowStep);

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
  RightAbove(g).keep(g);
}
