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
//
// relay.cu takes many passes in one launch, without that cost.
#include "march_sides.cuh"
#include "march_stages.cuh"

using namespace tessera::cuda;

namespace {

constexpr int kDoors = 2 * kMarchShare;  // of a row of a warp

// The rows of a window are shared out by fours, as evenly as possible.
__device__ __forceinline__ int first_row(u32 segment, const Grid& grid, const MarchRun& run) {
  return 4 * (int)((u64)segment * (u64)((grid.height + 3) / 4) / run.segments);
}

}  // namespace

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
  const u32 in_block = threadIdx.x / 32, warp = blockIdx.x * kWarps + in_block;
  const int height = (int)grid.height, wrap = (int)run.wrap, depth = (int)run.generations,
            ahead = (int)run.ahead;
  wait_for_last_launch();
  if (warp >= run.warps) return;
  const Post post = post_of(warp, grid, run);
  const int begin = first_row(post.segment, grid, run),
            end = post.idle ? 0 : first_row(post.segment + 1, grid, run);

  const Door door = door_of(post, grid, run);
  const Sides sides = sides_of(post, grid);
  const Shared own_slots = shared_address(&rows[in_block][0][0][threadIdx.x & 31]);
  const Shared door_slots = shared_address(&doors[in_block][0][0][door.slot]);
  const u64 offset = (u64)(post.window * 32 + post.place) * 16;
  const u64 from = (u64)run.from + offset, to = (u64)run.to + offset;
  const u64 from_door = (u64)run.from + (u64)door.place * 16;

  int y_in = begin - ahead;  // of the next four to be fetched, wrapped
#pragma unroll 1
  while (!kPlane && y_in < 0) y_in += wrap;
  // A plane has no need for it, which saves a register: what lies outside may be anything.
  const auto fetch = [&](u32 four, int unwrapped) {
    if (kPlane) y_in = (u32)unwrapped < (u32)height ? unwrapped : 0;
    if (four < run.fours) {
      const Shared own = own_slots + four % kSlots * (4 * kRow),
                   theirs = door_slots + four % kSlots * (4 * kDoorRow);
#pragma unroll
      for (int u = 0; u < 4; u++) {
        const u32 y = y_in + u;
        const u64 at = multiply_wide_add(y, run.pitch, from);
        copy_async(own + u * kRow, at);
        if (kPlane) {  // the lane beside this one, which saves registers
          if (door.opens_west) copy_async(theirs + u * kDoorRow, at - 16);
          if (door.opens_east) copy_async(theirs + u * kDoorRow, at + 16);
        } else if (door.opens_west || door.opens_east) {
          copy_async(theirs + u * kDoorRow, multiply_wide_add(y, run.pitch, from_door));
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
    u32 own[4], other[4];
    load_shared(own, at.own + u * kRow);
    load_shared(other, at.door + u * kDoorRow);
#pragma unroll
    for (int j = 0; j < W; j++) c[j] = __byte_perm(own[j], other[j], door.bytes);
  };

  Stages stages;
  stages.clear();
#pragma unroll
  for (u32 i = 0; i < kSlots - 1; i++) fetch(i, begin - ahead + 4 * (int)i);

  int y = begin - ahead;  // of the four that is stepped, not wrapped
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
        if ((int)four * 4 + u >= ahead + depth && made < end)
          store_row(multiply_wide_add((u32)made, run.pitch, to), c);
      }
    }
#pragma unroll 1
    for (; four < fast_until; four++, y += 4) {
      fetch(four + kSlots - 1, y + 4 * (kSlots - 1));
      const Four at = wait(four);
      // Segments end between fours of rows that are made where T is no multiple of four.
      const bool write = y - T < end, write_last = T % 4 == 0 ? write : y - T + 2 < end;
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
