// For large grids and rules that are programs, of several states above all: rows stream through
// stages in registers, as in march.cu, and from the last stage of a warp to the first of the next.
// Layout, windows, segments, doors and universes are those of march.cu.
//
// Warps. Where a cell has P planes, a warp has registers for few stages, and passes of few
// generations would read and write all planes too often. So the K warps of a block have S = T / K
// stages each, one after the other: a warp leaves the rows that it makes in shared memory, a batch
// at a time, and the next one takes them when the block has met. Only the first is given rows of
// the grid, which all warps help to fetch, and only the last writes it.
//
// Stages. Stage t keeps of generation t the codes (row_codes.cuh) of the last two rows that it was
// given, as far as the program reads them, and the other planes of the last. Given the next row,
// it makes the row above that of generation t + 1. Rows of two parities are unrolled, so that
// the compiler renames registers instead of moving them.
//
// Segments. A block begins T rows above its first row. What its stages make of rows that they have
// not been given is wrong, and comes to one row less with each stage; nobody stores it. A warp does
// not begin before the rows that it is given are right.
//
// Planes' edges. The cells beside the left and right edge of a plane, and the rows above and below
// it, have no neighbours alive in any stage.
#include "row_codes.cuh"
// After it, for the number of planes.
#include "march_sides.cuh"

using namespace tessera::cuda;

namespace {

#define P TESSERA_PLANES  // a constant would be a symbol of the kernel
constexpr int S = T / kWarps;
constexpr int kRows = TESSERA_ROWS;  // of a batch
constexpr int kDoors = 2 * kMarchShare;
static_assert(T % kWarps == 0, "the same stages for every warp");

// A row of all planes: for a lane and its neighbours only the first one counts.
using Row = u32[P][W];

struct Stages {
  RowCodes codes[2][S][W];  // by the parity of the row
  u32 others[S][P][W];      // the planes of the last row but the first, which its codes have

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int t = 0; t < S; t++) {
#pragma unroll
      for (int j = 0; j < W; j++) {
        codes[0][t][j] = codes[1][t][j] = codes_of(0, 0, 0);
#pragma unroll
        for (int p = 0; p < P; p++) others[t][p][j] = 0;
      }
    }
  }

  template <int kParity>
  __device__ __forceinline__ void stage(int t, Row& c, bool outside, const Sides& sides,
                                        const MarchRun& run) {
    if (kPlane) {
      if (sides.first) c[0][W - 1] &= ~0xFFu;
      c[0][TESSERA_LAST_WORD] &= sides.keep;
#pragma unroll
      for (int j = 0; j < W; j++) c[0][j] = outside ? 0 : c[0][j];
    }
    const Seams seams = seams_of(c[0], run);
    Row next;
#pragma unroll
    for (int j = 0; j < W; j++) {
      const RowCodes below = codes_of(j == 0 ? seams.left : c[0][(j + W - 1) % W], c[0][j],
                                      j == W - 1 ? seams.right : c[0][(j + 1) % W]);
      const RowCodes &above = codes[kParity][t][j], &here = codes[1 - kParity][t][j];
      const u32 lives = Turn<0>::lives(above, here, below);
#if P == 1
      next[0][j] = lives;
#else
      u32 own[P], made[P];
      own[0] = here.word[1];
#pragma unroll
      for (int p = 1; p < P; p++) own[p] = others[t][p][j], others[t][p][j] = c[p][j];
      tessera_states(own, lives, made);
#pragma unroll
      for (int p = 0; p < P; p++) next[p][j] = made[p];
#endif
      codes[kParity][t][j] = below;
    }
#pragma unroll
    for (int p = 0; p < P; p++) {
#pragma unroll
      for (int j = 0; j < W; j++) c[p][j] = next[p][j];
    }
  }

  // Through all stages, or with kSome only the first `count`. `kParity` and `y` are those of the
  // row.
  template <bool kSome, int kParity>
  __device__ __forceinline__ void step(Row& c, int count, int y, const Grid& grid,
                                       const Sides& sides, const MarchRun& run) {
#pragma unroll
    for (int t = 0; t < S; t++) {
      if (!kSome || t < count) stage<kParity>(t, c, (u32)(y - t) >= (u32)grid.height, sides, run);
    }
  }
};

// Rows in shared memory, plane by plane.
constexpr Shared kPlaneOfRow = 32 * 16, kRow = P * kPlaneOfRow, kBatch = kRows * kRow;
constexpr Shared kPlaneOfDoors = kDoors * 16, kDoorRow = P * kPlaneOfDoors;
constexpr u32 kInRows = 2 * kRows - 1;  // on their way to the first warp

template <bool kSome>
__device__ __forceinline__ void pass(const Grid& grid, const CascadeRun& run) {
  TESSERA_DYNAMIC_SHARED(room);
  const u32 warp = threadIdx.x / 32, lane = threadIdx.x & 31;
  const int height = (int)grid.height, depth = kSome ? (int)run.march.generations : T;
  const int before = min((int)warp * S, depth), stages_here = min(S, depth - before);
  const Post post = post_of(blockIdx.x, grid, run.march);
  const auto first_row = [&](u32 segment) {
    return (int)((u64)segment * (u64)grid.height / run.march.segments);
  };
  const int begin = first_row(post.segment), end = post.idle ? 0 : first_row(post.segment + 1);
  const Door door = door_of(post, grid, run.march);
  const Sides sides = sides_of(post, grid);

  // What this lane is given by the grid, with what comes through doors, and what each warp leaves
  // for the next.
  const Shared begin_of_room = shared_address(room);
  const Shared own = begin_of_room + lane * 16;
  const Shared links = own + kInRows * kRow;
  const Shared doors =
      begin_of_room + kInRows * kRow + (kWarps - 1) * (2 * kBatch) + door.slot * 16;
  const u32 place = post.window * 32 + post.place;
  wait_for_last_launch();

  // Begins to copy a row for the first warp.
  const auto fetch = [&](u32 n) {
    int y = begin - depth + (int)n;
    if (kPlane) {
      if ((u32)y >= (u32)height) y = 0;  // may be anything
    } else {
      y %= height;
      if (y < 0) y += height;
    }
    const Shared slot = own + n % kInRows * kRow, door_slot = doors + n % kInRows * kDoorRow;
    const u64 row = multiply_wide_add((u32)y, run.march.pitch, (u64)run.march.from);
    u64 at = row + 16 * (u64)place, at_door = row + 16 * (u64)door.place;
#pragma unroll
    for (int p = 0; p < P; p++, at += run.plane, at_door += run.plane) {
      copy_async(slot + p * kPlaneOfRow, at);
      if (door.opens_west || door.opens_east) copy_async(door_slot + p * kPlaneOfDoors, at_door);
    }
  };
  // The other warps do so, but for the last row of a batch: for that the first one must have taken
  // a row.
  const auto fetch_for_first = [&](u32 batch) {
#pragma unroll
    for (u32 u = 0; u < kRows - 1; u++) {
      if (warp == 1 + u % (kWarps - 1)) fetch(batch * kRows + u);
    }
  };

  Stages stages;
  stages.clear();
  fetch_for_first(0);
  if (warp == 0) fetch(kRows - 1);
  end_copies();
  // Of the first row of the next batch that this warp is given.
  int y = begin - depth - before;
  const int late = 2 * before / kRows;  // batches that are wrong
  int batch = -(int)warp;
#pragma unroll 1
  for (u32 i = 0; i < run.batches + kWarps - 1; i++, batch++) {
    await_copies<0>();
    __syncthreads();
    if (i + 1 < run.batches) fetch_for_first(i + 1);
    if (batch < late || batch >= (int)run.batches) {
      end_copies();
      if (batch >= 0) y += kRows;
      continue;
    }
    const Shared out = links + warp * (2 * kBatch) + i % 2 * kBatch,
                 in = links + (warp - 1) * (2 * kBatch) + (i + 1) % 2 * kBatch;
    const auto pass_on = [&](int u, Row& c) {
      if (warp < kWarps - 1) {
#pragma unroll
        for (int p = 0; p < P; p++) store_shared(out + u * kRow + p * kPlaneOfRow, c[p]);
        return;
      }
      const int made = y + u - stages_here;
      if (made < begin || made >= end) return;
      u64 at = multiply_wide_add((u32)made, run.march.pitch, (u64)run.march.to) + 16 * (u64)place;
#pragma unroll
      for (int p = 0; p < P; p++, at += run.plane) store_row(at, c[p]);
    };
    const auto take = [&](int u, Row& c) {
      const u32 n = (i * kRows + u) % kInRows;
      const Shared from = warp > 0 ? in + u * kRow : own + n * kRow;
#pragma unroll
      for (int p = 0; p < P; p++) load_shared_again(c[p], from + p * kPlaneOfRow);
      if (warp > 0) return;
#pragma unroll
      for (int p = 0; p < P; p++) {
        u32 other[W];
        load_shared_again(other, doors + n * kDoorRow + p * kPlaneOfDoors);
#pragma unroll
        for (int j = 0; j < W; j++) c[p][j] = __byte_perm(c[p][j], other[j], door.bytes);
      }
    };
#pragma unroll
    for (int u = 0; u < kRows; u += 2) {
      Row c;
      take(u, c);
      stages.step<kSome, 0>(c, stages_here, y + u, grid, sides, run.march);
      pass_on(u, c);
      if (u == 0) {
        if (warp == 0 && i + 1 < run.batches) fetch((i + 1) * kRows + kRows - 1);
        end_copies();
      }
      take(u + 1, c);
      stages.step<kSome, 1>(c, stages_here, y + u + 1, grid, sides, run.march);
      pass_on(u + 1, c);
    }
    y += kRows;
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(32 * kWarps, TESSERA_BLOCKS)
    step(const Grid grid, const CascadeRun run) {
  pass<false>(grid, run);
}

// A pass of fewer generations than T.
extern "C" __global__ void __launch_bounds__(32 * kWarps, TESSERA_BLOCKS)
    step_some(const Grid grid, const CascadeRun run) {
  pass<true>(grid, run);
}
