// The generations of a tile of strips.cu, in registers.
#ifndef TESSERA_STRIP_STEPS_CUH
#define TESSERA_STRIP_STEPS_CUH

#include "strip_tile.cuh"

using namespace tessera::cuda;

namespace {

// a + b and a + b - 2m, not on the logic pipe.
__device__ __forceinline__ u32 sum_of(u32 a, u32 b, const StripRun& run) {
  return multiply_add(a, run.one, b);
}
__device__ __forceinline__ u32 parity_of(u32 a, u32 b, u32 majority, const StripRun& run) {
  return multiply_add(majority, run.minus_two, sum_of(a, b, run));
}
// The old word 0 as the right neighbour of the last word of a row.
__device__ __forceinline__ u32 seam_of(u32 word, const StripRun& run) {
  return multiply_high(word, run.two31);
}

#if !TESSERA_PROGRAM
// Whether a row's parities of Life are computed by the multipliers. Every fourth row is best: such
// a parity takes three instructions instead of one, and their operands must be read from registers,
// too.
__device__ constexpr bool by_sum(int row) {
  return TESSERA_LIFE && R >= 4 && row % (kLarge ? 8 : 4) == 0;
}

// The next state of a row of words from the row codes above, of itself and below, its cells and
// their neighbours; `sides` is left + right.
__device__ __forceinline__ u32 next_of(int row, u32 xa, u32 ma, u32 xb, u32 mb, u32 left,
                                       u32 centre, u32 right, u32 sides, u32 xc, u32 mc,
                                       const StripRun& run) {
#if TESSERA_LIFE
  const u32 q = tessera_maj3(xa, left, right);
  const u32 p = by_sum(row) ? parity_of(xa, sides, q, run) : tessera_xor3(xa, left, right);
  return tessera_life_end(p, q, ma, centre, xc, mc);
#else
  const u32 k = tessera_k(xa, xb, xc), u1 = tessera_u1(ma, mb, mc);
  // Two rows share the sum of the codes between them.
  const bool odd = row % 2 != 0;
  const u32 t0 = !TESSERA_SUM_T0 ? tessera_t0(xa, xb, xc)
                 : odd           ? parity_of(xc, sum_of(xa, xb, run), k, run)
                                 : parity_of(xa, sum_of(xb, xc, run), k, run);
  const u32 u0 = !TESSERA_SUM_U0 ? tessera_u0(ma, mb, mc)
                 : odd           ? parity_of(mc, sum_of(ma, mb, run), u1, run)
                                 : parity_of(ma, sum_of(mb, mc, run), u1, run);
  return tessera_tail(t0, k, u0, u1, centre);
#endif
}

#else
// All planes of a word, given what lives in its place.
__device__ __forceinline__ void step_states(u32 (&s)[P][R][W], int r, int j, u32 lives) {
#if TESSERA_PLANES == 1
  s[0][r][j] = lives;
#else
  u32 own[P], next[P];
#pragma unroll
  for (int p = 0; p < P; p++) own[p] = s[p][r][j];
  tessera_states(own, lives, next);
#pragma unroll
  for (int p = 0; p < P; p++) s[p][r][j] = next[p];
#endif
}
#endif

// One generation in place.
template <int kTurn = 0>
__device__ __forceinline__ void step_tile(u32 (&cells)[P][R][W], const StripRun& run) {
  u32(&s)[R][W] = cells[0];
  u32 left[R],
      seam[R];  // the old word to the left; the old word 0 as the right neighbour of word W-1
#pragma unroll
  for (int r = 0; r < R; r++) {
    left[r] = multiply_add(s[r][W - 1], run.two, 0);
    seam[r] = seam_of(s[r][0], run);
  }
#if TESSERA_PROGRAM
#pragma unroll
  for (int j = 0; j < W; j++) {
    // Rows -1 and R of this column of words, then three rows that move down it.
    RowCodes above, end, here, below;
    const auto signals_of = [&](int r) {
      return codes_of(left[r], s[r][j], j == W - 1 ? seam[r] : s[r][(j + 1) % W]);
    };
    here = signals_of(0), below = signals_of(R - 1);
#pragma unroll
    for (int n = 0; n < 3 + TESSERA_CODES; n++) {
      above.word[n] = Turn<kTurn>::above(n) ? __shfl_up_sync(~0u, below.word[n], 1) : 0;
      end.word[n] = Turn<kTurn>::below(n) ? __shfl_down_sync(~0u, here.word[n], 1) : 0;
    }
#pragma unroll
    for (int r = 0; r < R; r++) {
      below = r + 1 < R ? signals_of(r + 1) : end;
      const u32 lives = Turn<kTurn>::lives(above, here, below);
      left[r] = here.word[1];
      step_states(cells, r, j, lives);
      above = here, here = below;
    }
  }
#else
#pragma unroll
  for (int j = 0; j < W; j++) {
    u32 x[R + 2], m[R + 2], sides[R];  // row codes of rows -1 .. R of this column of words
#pragma unroll
    for (int r = 0; r < R; r++) {
      const u32 right = j == W - 1 ? seam[r] : s[r][(j + 1) % W];
      m[r + 1] = tessera_maj3(left[r], s[r][j], right);
      sides[r] = sum_of(left[r], right, run);
      x[r + 1] = by_sum(r) ? parity_of(s[r][j], sides[r], m[r + 1], run)
                           : tessera_xor3(left[r], s[r][j], right);
    }
    x[0] = __shfl_up_sync(~0u, x[R], 1), m[0] = __shfl_up_sync(~0u, m[R], 1);
    x[R + 1] = __shfl_down_sync(~0u, x[1], 1), m[R + 1] = __shfl_down_sync(~0u, m[1], 1);
#pragma unroll
    for (int r = 0; r < R; r++) {
      const u32 centre = s[r][j], right = j == W - 1 ? seam[r] : s[r][(j + 1) % W];
      s[r][j] = next_of(r, x[r], m[r], x[r + 1], m[r + 1], left[r], centre, right, sides[r],
                        x[r + 2], m[r + 2], run);
      left[r] = centre;
    }
  }
#endif
}

// The generations of a pass. `before` is called in front of each.
template <class Before>
__device__ __forceinline__ void step_all(u32 (&s)[P][R][W], const StripRun& run, Before before) {
#if TESSERA_TURNS == 2
  u32 odd = run.odd;
#pragma unroll 1
  for (int left = (int)run.generations; left > 0; left--, odd ^= 1) {
    before();
    if (odd) {
      step_tile<1>(s, run);
    } else {
      step_tile<0>(s, run);
    }
  }
#else
#pragma unroll 1
  for (int left = (int)run.generations; left > 0; left--) {
    before();
    step_tile(s, run);
  }
#endif
}

}  // namespace

#endif
