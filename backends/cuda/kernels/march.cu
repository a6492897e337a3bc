// For large grids: rows stream through T stages in registers, one a generation; no tile, and every
// row is read and written once.
//
// Layout. A row is cut into windows of 4096 columns, a warp each: 32 lanes of 128 columns, four
// words of which bit i of word j is column 4*i + j, so that the neighbours of word j are words j-1
// and j+1 and only words 0 and 3 need a bit of the lane beside. The first and the last 32 columns
// of a window are halo, a byte of every word of its first and last lane; the window beside it owns
// them. They may hold anything in memory: when a row is read, one PRMT a word puts the bytes of the
// neighbour's lane, the "door", in their place.
//
// Stages. Stage t keeps of generation t the codes (circuit.inl) of the last two rows that it was
// given and the cells of the last, five words a word. Given the next row, it makes the row above
// that of generation t + 1, for the next stage. Rows of two parities are unrolled, so that the
// compiler renames registers instead of moving them.
//
// Segments. A warp marches down a segment of its window. It begins so many rows above its first as
// its halo is high; until all stages are filled, and for passes of fewer generations than T, code
// of its own runs ("slow"), in which stages are skipped by branches.
//
// The last window may be narrow. Then several of its segments share a warp, lanes for each.
//
// Universes. On a torus rows wrap in their address, by fours: where the height is no multiple of
// four, the last segment makes the first rows once more, below the last. The doors at the left and
// right edge open into each other; where the width leaves no whole bytes for that, fill_sides
// copies columns beforehand. On a plane the cells beside the left and right edge are killed
// whenever a stage is given them; the rows above and below are zero in every stage, for which the
// slow code sees.
//
// Cost. Of 4096 columns 4032 are useful, and of a segment's rows and 2T more the segment's. One
// block of eight warps fills a multiprocessor: two blocks of four were a tenth slower.
#include "gates.cuh"
#include "layout_march.cuh"

using namespace tessera::cuda;

namespace {

constexpr int W = kMarchWords, T = TESSERA_T, kWarps = TESSERA_WARPS;
constexpr int kWarpsAtOnce = 8;          // of a multiprocessor: all of its registers
constexpr int kSlots = 2;                // four rows each, on their way to a warp
constexpr int kDoors = 2 * kMarchShare;  // of a row of a warp
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

// Which parities are sums: as many as the multipliers have time for beside a rule's gates. In
// Life's circuit none.
#if !TESSERA_LIFE
__device__ constexpr bool sums_t0(int parity) {
  return TESSERA_SUM_T0 && (TESSERA_LONG || parity == 0);
}
__device__ constexpr bool sums_u0(int parity, int j) {
  return TESSERA_SUM_U0 && (TESSERA_LONG ? j > 1 : parity == 0);
}
#endif

struct Stages {
  u32 x[2][T][W], m[2][T][W], cells[T][W];

  // `kParity` is that of the row. Not a loop over rows: the arrays must be registers.
  template <int kParity>
  __device__ __forceinline__ void stage(int t, u32 (&c)[W], const Sides& sides,
                                        const MarchRun& run) {
    if (kPlane) {
      if (sides.first) c[W - 1] &= ~0xFFu;
      c[TESSERA_LAST_WORD] &= sides.keep;
    }
    const u32 west = __shfl_up_sync(~0u, c[W - 1], 1), east = __shfl_down_sync(~0u, c[0], 1);
    const u32 left = __funnelshift_l(west, c[W - 1], 1), right = __funnelshift_r(c[0], east, 1);
    u32 next[W];
#pragma unroll
    for (int j = 0; j < W; j++) {
      const u32 l = j == 0 ? left : c[(j + W - 1) % W], r = j == W - 1 ? right : c[(j + 1) % W];
      const u32 xc = tessera_xor3(l, c[j], r), mc = tessera_maj3(l, c[j], r);
      const u32 xa = x[kParity][t][j], ma = m[kParity][t][j], xb = x[1 - kParity][t][j],
                mb = m[1 - kParity][t][j];
#if TESSERA_LIFE
      next[j] = tessera_life(xa, ma, xb, mb, cells[t][j], xc, mc);
#else
      const u32 k = tessera_k(xa, xb, xc), u1 = tessera_u1(ma, mb, mc);
      const u32 t0 = sums_t0(kParity) ? parity_of(xa, xb, xc, k, run) : tessera_t0(xa, xb, xc);
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
  u32 window;
  u32 place;       // which lane of the window it is
  u32 door;        // where the door's words lie in shared memory
  int begin, end;  // its rows, by fours
};

// The rows of a window are shared out by fours, as evenly as possible.
__device__ __forceinline__ int first_row(u32 segment, const Grid& grid, const MarchRun& run) {
  return 4 * (int)((u64)segment * (u64)((grid.height + 3) / 4) / run.segments);
}

// A warp of a window of its own, or one that segments of the last window share.
__device__ __forceinline__ Post post_of(u32 warp, const Grid& grid, const MarchRun& run) {
  const u32 lane = threadIdx.x & 31, windows = (u32)grid.units;
  Post post;
  u32 group = 0, segment;
  if (warp < run.whole * run.segments) {
    segment = warp / run.whole;
    post.window = warp - segment * run.whole;
    post.place = lane;
  } else {
    group = lane / run.lanes;
    segment = (warp - run.whole * run.segments) * run.share + group;
    post.window = windows - 1;
    post.place = lane - group * run.lanes;
  }
  post.idle = group >= run.share || segment >= run.segments ||
              (post.window == windows - 1 && post.place >= run.lanes);
  if (post.idle) post.place = group = segment = 0;
  post.begin = first_row(segment, grid, run);
  post.end = post.idle ? 0 : first_row(segment + 1, grid, run);
  post.door = 2 * group;
  return post;
}

}  // namespace

// Before a pass on a torus: the columns beside the left and right edge. Four threads a row, each
// for the columns of one word of four, so that none changes a word of another.
extern "C" __global__ void fill_sides(const Grid grid, u32* cells, const u32 rows) {
  constexpr int kCells = 2 * kMarchReach / W;
  wait_for_last_launch();
  for (i64 n = (i64)blockIdx.x * blockDim.x + threadIdx.x; n < (i64)rows * W;
       n += (i64)gridDim.x * blockDim.x) {
    u32* row = cells + n / W * grid.stride;
    MarchPlace places[kCells];
    u32 alive[kCells];
#pragma unroll
    for (int i = 0; i < kCells; i++) {
      const bool east = i >= kCells / 2;
      // Columns from the edge on, of those that lie in word n % W.
      const int edge = east ? (int)(((n - grid.width) % W + W) % W) : (int)(n % W) - kMarchReach;
      const int more = edge + i % (kCells / 2) * W;
      i64 from = more % grid.width;
      if (from < 0) from += grid.width;
      const MarchPlace source = march_place(from, 0);
      places[i] = east ? march_place(grid.width - 1, more + 1) : march_place(0, more);
      alive[i] = row[source.word] >> source.bit & 1;
    }
#pragma unroll
    for (int i = 0; i < kCells; i++) {
      u32* word = row + places[i].word;
      *word = (*word & ~(1u << places[i].bit)) | alive[i] << places[i].bit;
    }
  }
}

// The rows below the last, which are the first again: after cells were changed from outside; of a
// low grid before every pass, after fill_sides.
extern "C" __global__ void fill_below(const Grid grid, u32* cells, const u32 wrap) {
  wait_for_last_launch();
  const i64 count = (wrap + 3 - grid.height) * grid.stride;
  for (i64 n = (i64)blockIdx.x * blockDim.x + threadIdx.x; n < count;
       n += (i64)gridDim.x * blockDim.x) {
    const i64 y = n / grid.stride, x = n - y * grid.stride;
    cells[(grid.height + y) * grid.stride + x] = cells[y % grid.height * grid.stride + x];
  }
}

extern "C" __global__ void __launch_bounds__(32 * kWarps, kWarpsAtOnce / kWarps)
    step(const Grid grid, const MarchRun run) {
  __shared__ uint4 rows[kWarps][kSlots][4][32], doors[kWarps][kSlots][4][kDoors];
  constexpr u32 kRow = 32 * 16, kDoorRow = kDoors * 16;  // bytes
  const u32 in_block = threadIdx.x / 32, warp = blockIdx.x * kWarps + in_block,
            windows = (u32)grid.units;
  const int height = (int)grid.height, wrap = (int)run.wrap, depth = (int)run.generations,
            ahead = (int)run.ahead;
  wait_for_last_launch();
  if (warp >= run.warps) return;
  const Post post = post_of(warp, grid, run);
  const bool final = post.window == windows - 1;

  // The door: which lane of which window, and for every byte of a word whether it comes from the
  // own one (0 to 3) or from the door's (4 to 7).
  const bool opens_west = !post.idle && post.place == 0 && (post.window > 0 || run.joined);
  const bool opens_east =
      !post.idle && post.place == (final ? run.east_lane : 31u) && (!final || run.joined);
  const u32 west = post.window > 0 ? post.window * 32 - 1 : (windows - 1) * 32 + run.west_lane;
  const u32 east = final ? 0 : post.window * 32 + 32;
  u32 bytes = 0x3210;
  if (opens_west) bytes = 0x3210 + (post.window > 0 ? 6 : 4 + run.west_byte);
  if (opens_east) {
    const u32 by = 4 * (final ? run.east_byte : 3);
    bytes = (0x3210 & ~(0xFu << by)) | 5u << by;
  }

  Sides sides{false, ~0u};
  if (kPlane) {
    sides.first = post.window == 0 && post.place == 0;
    // Columns of the grid from the lane's first on.
    const i64 left =
        grid.width - (i64)post.window * kMarchUseful - ((i64)post.place * kMarchLane - kMarchHalo);
    const int bits = (int)max((i64)0, min((i64)32, (left - TESSERA_LAST_WORD) / 4));
    sides.keep = bits == 32 ? ~0u : (1u << bits) - 1;
  }

  const Shared own_slots = shared_address(&rows[in_block][0][0][threadIdx.x & 31]);
  const Shared door_slots = shared_address(&doors[in_block][0][0][post.door + opens_east]);
  const u64 offset = (u64)(post.window * 32 + post.place) * 16;
  const u64 from = (u64)run.from + offset, to = (u64)run.to + offset;
  const u64 from_door = (u64)run.from + (u64)(opens_east ? east : west) * 16;

  int y_in = post.begin - ahead;  // of the next four to be fetched, wrapped
#pragma unroll 1
  while (!kPlane && y_in < 0) y_in += wrap;
  // A plane has no need for it, which saves a register: what lies outside may be anything.
  const auto fetch = [&](u32 four, int unwrapped) {
    if (kPlane) y_in = (u32)unwrapped < (u32)height ? unwrapped : 0;
    if (four < run.fours) {
      const Shared own = own_slots + four % kSlots * (4 * kRow),
                   door = door_slots + four % kSlots * (4 * kDoorRow);
#pragma unroll
      for (int u = 0; u < 4; u++) {
        const u32 y = y_in + u;
        const u64 at = multiply_wide_add(y, run.pitch, from);
        copy_async(own + u * kRow, at);
        if (kPlane) {  // the lane beside this one, which saves registers
          if (opens_west) copy_async(door + u * kDoorRow, at - 16);
          if (opens_east) copy_async(door + u * kDoorRow, at + 16);
        } else if (opens_west || opens_east) {
          copy_async(door + u * kDoorRow, multiply_wide_add(y, run.pitch, from_door));
        }
      }
    }
    end_copies();
    if (kPlane) return;
    y_in += 4;
    if (y_in >= wrap) y_in -= wrap;
  };
  // A lane uses nothing but what it fetched itself.
  struct Four {
    Shared own, door;
  };
  const auto wait = [&](u32 four) {
    Four at{own_slots + four % kSlots * (4 * kRow), door_slots + four % kSlots * (4 * kDoorRow)};
    await_copies<kSlots - 1>(at.own, at.door);
    return at;
  };
  const auto read = [&](u32(&c)[W], const Four& at, int u) {
    u32 own[4], door[4];
    load_shared(own, at.own + u * kRow);
    load_shared(door, at.door + u * kDoorRow);
#pragma unroll
    for (int j = 0; j < W; j++) c[j] = __byte_perm(own[j], door[j], bytes);
  };

  Stages stages;
#pragma unroll
  for (int t = 0; t < T; t++) {
#pragma unroll
    for (int j = 0; j < W; j++) {
      stages.x[0][t][j] = stages.x[1][t][j] = stages.m[0][t][j] = stages.m[1][t][j] = 0;
      stages.cells[t][j] = 0;
    }
  }
#pragma unroll
  for (u32 i = 0; i < kSlots - 1; i++) fetch(i, post.begin - ahead + 4 * (int)i);

  int y = post.begin - ahead;  // of the four that is stepped, not wrapped
  u32 four = 0, slow_until = depth == T ? (ahead + T + 3) / 4 : run.fours;
  u32 fast_until = run.fours;
  if (kPlane) {
    // Where the last of the segments meets the first row below the grid.
    const u32 whole = run.whole * run.segments;
    const u32 segment =
        warp < whole ? warp / run.whole : min((warp - whole + 1) * run.share, run.segments) - 1;
    fast_until = min(fast_until, (u32)(height - first_row(segment, grid, run) + ahead) / 4);
  }
#pragma unroll 1
  for (;;) {
#pragma unroll 1
    for (; four < slow_until; four++, y += 4) {
      fetch(four + kSlots - 1, y + 4 * (kSlots - 1));
      const Four at = wait(four);
#pragma unroll 2
      for (int u = 0; u < 4; u++) {
        const int count = min(depth, 2 * (int)four + 1 + u / 2), made = y + u - depth;
        u32 c[W];
        read(c, at, u);
        if (u % 2 == 0) stages.step_some<0>(count, y + u, height, c, sides, run);
        if (u % 2 == 1) stages.step_some<1>(count, y + u, height, c, sides, run);
        if ((int)four * 4 + u >= ahead + depth && made < post.end)
          store_row(multiply_wide_add((u32)made, run.pitch, to), c);
      }
    }
#pragma unroll 1
    for (; four < fast_until; four++, y += 4) {
      fetch(four + kSlots - 1, y + 4 * (kSlots - 1));
      const Four at = wait(four);
      // Segments end between fours of rows that are made where T is no multiple of four.
      const bool write = y - T < post.end, write_last = T % 4 == 0 ? write : y - T + 2 < post.end;
#pragma unroll
      for (int u = 0; u < 4; u++) {
        u32 c[W];
        read(c, at, u);
        if (u % 2 == 0) stages.step<0>(c, sides, run);
        if (u % 2 == 1) stages.step<1>(c, sides, run);
        if (u < 2 ? write : write_last)
          store_row(multiply_wide_add((u32)(y - T + u), run.pitch, to), c);
      }
    }
    if (!kPlane || four >= run.fours) return;
    slow_until = run.fours;
  }
}
