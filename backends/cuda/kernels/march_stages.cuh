// The stages of the kernels march and relay, and what a lane of them has to do; march.cu explains
// both.
#ifndef TESSERA_MARCH_STAGES_CUH
#define TESSERA_MARCH_STAGES_CUH

#include "gates.cuh"
#include "layout_march.cuh"

using namespace tessera::cuda;

namespace {

constexpr int W = kMarchWords, T = TESSERA_T, kWarps = TESSERA_WARPS;
constexpr int kWarpsAtOnce = 8;  // of a multiprocessor: all of its registers
constexpr int kSlots = 2;        // four rows each, on their way to a warp
constexpr bool kPlane = !TESSERA_TORUS;
static_assert(W == 4 && T <= kMarchReach && T % 2 == 0, "vectors; the halo; pairs of rows");

// What a lane does at the edges of a plane.
struct Sides {
  bool first;  // its word 3 has column -1, and more of what is outside, in its lowest byte
  u32 keep;    // bits of word TESSERA_LAST_WORD before column `width`
};

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

// The old word to the left of the first of a lane, and to the right of its last.
struct Seams {
  u32 left, right;
};
__device__ __forceinline__ Seams seams_of(const u32 (&c)[W], const MarchRun& run) {
  const u32 west = __shfl_up_sync(~0u, c[W - 1], 1), east = __shfl_down_sync(~0u, c[0], 1);
  const u32 left = TESSERA_LONG == 2 ? multiply_add(c[W - 1], run.two, multiply_high(west, run.two))
                                     : __funnelshift_l(west, c[W - 1], 1);
  return {left, __funnelshift_r(c[0], east, 1)};
}

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

// What a lane has to do.
struct Post {
  bool idle;  // nothing: it reads what the first lane of its window reads
  u32 window, segment;
  u32 place;  // which lane of the window it is
  u32 group;  // of the lanes of a warp that have a segment
};

// A warp of a window of its own, or one that segments of the last window share.
__device__ __forceinline__ Post post_of(u32 warp, const Grid& grid, const MarchRun& run) {
  const u32 lane = threadIdx.x & 31, windows = (u32)grid.units;
  Post post;
  post.group = 0;
  if (warp < run.whole * run.segments) {
    post.segment = warp / run.whole;
    post.window = warp - post.segment * run.whole;
    post.place = lane;
  } else {
    post.group = lane / run.lanes;
    post.segment = (warp - run.whole * run.segments) * run.share + post.group;
    post.window = windows - 1;
    post.place = lane - post.group * run.lanes;
  }
  post.idle = post.group >= run.share || post.segment >= run.segments ||
              (post.window == windows - 1 && post.place >= run.lanes);
  if (post.idle) post.place = post.group = post.segment = 0;
  return post;
}

// Where the halo of a lane comes from.
struct Door {
  bool opens_west, opens_east;
  u32 place;  // the lane of a row whose words are the door's
  u32 slot;   // in shared memory
  u32 bytes;  // for every byte of a word whether it comes from the own one (0 to 3) or from the
              // door's (4 to 7)
};
__device__ __forceinline__ Door door_of(const Post& post, const Grid& grid, const MarchRun& run) {
  const u32 windows = (u32)grid.units;
  const bool final = post.window == windows - 1;
  Door door;
  door.opens_west = !post.idle && post.place == 0 && (post.window > 0 || run.joined);
  door.opens_east =
      !post.idle && post.place == (final ? run.east_lane : 31u) && (!final || run.joined);
  const u32 west = post.window > 0 ? post.window * 32 - 1 : (windows - 1) * 32 + run.west_lane;
  const u32 east = final ? 0 : post.window * 32 + 32;
  door.place = door.opens_east ? east : west;
  door.slot = 2 * post.group + door.opens_east;
  door.bytes = 0x3210;
  if (door.opens_west) door.bytes = 0x3210 + (post.window > 0 ? 6 : 4 + run.west_byte);
  if (door.opens_east) {
    const u32 by = 4 * (final ? run.east_byte : 3);
    door.bytes = (0x3210 & ~(0xFu << by)) | 5u << by;
  }
  return door;
}

}  // namespace

#endif
