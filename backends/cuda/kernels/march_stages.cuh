// The stages of the kernels march and relay; march.cu explains them.
#ifndef TESSERA_MARCH_STAGES_CUH
#define TESSERA_MARCH_STAGES_CUH

#include "gates.cuh"
#include "march_posts.cuh"

using namespace tessera::cuda;

namespace {

constexpr int kWarpsAtOnce = 8;  // of a multiprocessor: all of its registers
constexpr int kSlots = 2;        // four rows each, on their way to a warp
static_assert(T % 2 == 0, "pairs of rows");

// a + b + c - 2m: the parity, where m is the majority, and not on the logic pipe.
__device__ __forceinline__ u32 parity_of(u32 a, u32 b, u32 c, u32 m, const MarchRun& run) {
  return multiply_add(m, run.minus_two, multiply_add(a, run.one, multiply_add(b, run.one, c)));
}

// What the multipliers do beside a rule's gates: as much as they have time for. TESSERA_LONG says
// which of these texts it is:
//   0  a rule of up to five gates behind the counts: both parities, in even rows
//   1  six gates, march: u0 in half of the words
//   2  six gates, relay: u0; t0 in half of the words; a shift at the seams
// By relay on an H100 512 generations of B12467/S018 at 16384^2 take 4.14 ms with 1 and 3.95 with
// 2. In Life's circuit no parity is a sum.
#if !TESSERA_LIFE
__device__ constexpr bool sums_t0(int parity, int j) {
  return TESSERA_SUM_T0 && TESSERA_LONG != 1 && (TESSERA_LONG == 2 ? j % 2 == 0 : parity == 0);
}
__device__ constexpr bool sums_u0(int parity, int j) {
  return TESSERA_SUM_U0 && (TESSERA_LONG == 2 || (TESSERA_LONG == 1 ? j > 1 : parity == 0));
}
#endif

struct Stages {
  u32 x[2][T][W], m[2][T][W], cells[T][W];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int t = 0; t < T; t++) {
#pragma unroll
      for (int j = 0; j < W; j++)
        x[0][t][j] = x[1][t][j] = m[0][t][j] = m[1][t][j] = cells[t][j] = 0;
    }
  }

  // `kParity` is that of the row. Not a loop over rows: the arrays must be registers.
  template <int kParity>
  __device__ __forceinline__ void stage(int t, u32 (&c)[W], const Sides& sides,
                                        const MarchRun& run) {
    if (kPlane) {
      if (sides.first) c[W - 1] &= ~0xFFu;
      c[TESSERA_LAST_WORD] &= sides.keep;
    }
    const Seams seams = seams_of(c, run);
    u32 next[W];
#pragma unroll
    for (int j = 0; j < W; j++) {
      const u32 l = j == 0 ? seams.left : c[(j + W - 1) % W],
                r = j == W - 1 ? seams.right : c[(j + 1) % W];
      const u32 xc = tessera_xor3(l, c[j], r), mc = tessera_maj3(l, c[j], r);
      const u32 xa = x[kParity][t][j], ma = m[kParity][t][j], xb = x[1 - kParity][t][j],
                mb = m[1 - kParity][t][j];
#if TESSERA_LIFE
      next[j] = tessera_life(xa, ma, xb, mb, cells[t][j], xc, mc);
#else
      const u32 k = tessera_k(xa, xb, xc), u1 = tessera_u1(ma, mb, mc);
      const u32 t0 = sums_t0(kParity, j) ? parity_of(xa, xb, xc, k, run) : tessera_t0(xa, xb, xc);
      const u32 u0 = sums_u0(kParity, j) ? parity_of(ma, mb, mc, u1, run) : tessera_u0(ma, mb, mc);
      next[j] = tessera_tail(t0, k, u0, u1, cells[t][j]);
#endif
      x[kParity][t][j] = xc, m[kParity][t][j] = mc, cells[t][j] = c[j];
    }
#pragma unroll
    for (int j = 0; j < W; j++) c[j] = next[j];
  }

  template <int kParity>
  __device__ __forceinline__ void step(u32 (&c)[W], const Sides& sides, const MarchRun& run) {
#pragma unroll
    for (int t = 0; t < T; t++) stage<kParity>(t, c, sides, run);
  }

  // A stage is given a row of which no row can be made yet: the first two of a segment.
  template <int kParity>
  __device__ __forceinline__ void absorb(int t, const u32 (&c)[W], const MarchRun& run) {
    const Seams seams = seams_of(c, run);
#pragma unroll
    for (int j = 0; j < W; j++) {
      const u32 l = j == 0 ? seams.left : c[(j + W - 1) % W],
                r = j == W - 1 ? seams.right : c[(j + 1) % W];
      x[kParity][t][j] = tessera_xor3(l, c[j], r), m[kParity][t][j] = tessera_maj3(l, c[j], r);
      cells[t][j] = c[j];
    }
  }

  // Only the first `count` stages. `y`: the row that the first one is given.
  template <int kParity>
  __device__ __forceinline__ void step_some(int count, int y, int height, u32 (&c)[W],
                                            const Sides& sides, const MarchRun& run) {
#pragma unroll
    for (int t = 0; t < T; t++) {
      // Not a return: the compiler would make a copy of the rest for every count, and spill.
      if (t < count) {
        if (kPlane) {
          const bool outside = (u32)(y - t) >= (u32)height;
#pragma unroll
          for (int j = 0; j < W; j++) c[j] = outside ? 0 : c[j];
        }
        stage<kParity>(t, c, sides, run);
      }
    }
  }
};

}  // namespace

#endif
