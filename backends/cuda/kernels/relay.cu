// The kernel march without an end to its passes: a launch is many of them, and no row is computed
// twice. For tori whose segments are long enough, and whose sides are whole words and fours of
// rows; layout, stages and doors are those of march.cu.
//
// Segments. A warp begins a pass at the first row of its segment: in the first steps only the first
// stages have something to do, and at the end of the segment only the last. What a stage would need
// of the segment below are the first two rows that the warp there gives to the same stage, and that
// warp leaves them in memory. So the last stages end one pass while the first begin the next: in
// step pair i of a pass, two rows, stages before i have rows of the new pass; the rows that they
// make, the first two of stage i, are left for the warp above and kept aside; stage i and those
// after it are given what the warp below left a pass ago. Then stage i absorbs the rows that were
// kept aside, of which it can make none yet. All stages work all the time.
//
// Of T rows that go in, the first that comes out is T rows further down: segments move down T rows
// a pass, and a warp reads what it wrote itself, but for the doors.
//
// Order. All warps are on the device at once. A pass is cut into chunks; a warp counts itself in
// when it has stored a chunk, and begins one when all warps have ended the chunk that lies `lag` +
// 1 before it. relay_plan.h computes `lag`, so that what is read through the doors has been stored,
// what is overwritten has been read, and what lies below has been left. Whoever is furthest behind
// waits for nobody.
#include "march_stages.cuh"

namespace {

constexpr int kDoors = 2 * kRelayShare;  // of a row of a warp
constexpr u32 kRow = 32 * 16, kFour = 4 * kRow, kDoorRow = kDoors * 16, kDoorFour = 4 * kDoorRow;
constexpr u32 kRoom = kSlots * (2 * kFour + kDoorFour);  // bytes of shared memory of a warp
static_assert(T % 4 == 0 && !kPlane, "fours of rows; a torus");
static_assert(kSlots == 2 && kRoom == kRelayRoom, "as the host knows it");

// A row through all stages, of which those before `pair` have one of the new pass. Where it is one
// that stage `pair` is given first it goes to `leave` and changes places with what is in `slot`.
template <int kParity>
__device__ __forceinline__ void step_turning(Stages& stages, u32 pair, u32 (&c)[W], Shared slot,
                                             bool leaves, u64 leave, const MarchRun& run) {
#pragma unroll
  for (int first = 0; first < T; first += 4) {
    // Always; a branch keeps the compiler from mixing more stages than two rows have registers for.
    if ((u32)first < run.generations) {
#pragma unroll
      for (int t = first; t < first + 4; t++) {
        if ((u32)t == pair) {
          if (leaves) store_row(leave, c);
          swap_shared(c, slot);
        }
        stages.stage<kParity>(t, c, {false, ~0u}, run);
      }
    }
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(32 * kWarps, kWarpsAtOnce / kWarps)
    relay(const Grid grid, const RelayRun run) {
  TESSERA_DYNAMIC_SHARED(room);
  const MarchRun& march = run.march;
  const u32 warp = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x & 31;
  if (warp >= march.warps) return;
  const Post post = post_of(warp, grid, march);
  const Door door = door_of(post, grid, march);
  const int height = (int)grid.height;

  // The votes tell the compiler that the lanes of a warp have as many rows.
  const u32 whole = march.whole * march.segments;
  const u32 first = warp < whole ? warp / march.whole : (warp - whole) * march.share;
  const u32 fours = run.fours + (__any_sync(~0u, first < run.longer) ? 1 : 0);
  const int back = 4 * (int)fours - T;  // from the end of a segment to where it begins next
  int y_in = 4 * (int)(post.segment * run.fours + min(post.segment, run.longer));
  int y_out = y_in + T;
  if (y_out >= height) y_out -= height;

  const Shared slots = shared_address(room + threadIdx.x / 32 * (kRoom / 16));
  const Shared own_slots = slots + lane * 16, left_slots = own_slots + kSlots * kFour,
               door_slots = slots + 2 * kSlots * kFour + door.slot * 16;
  const u32 offset = (post.window * 32 + post.place) * 16;  // in a row
  // The own place in row 0 of the cells before a pass.
  const auto cells_of = [&](u32 pass) { return (u64)(pass % 2 ? run.odd : run.even) + offset; };
  // Rows that a segment leaves in a pass; two passes are kept.
  const auto left_row = [&](u32 pass, u32 segment) {
    return (pass % 2 * march.segments + segment) * (2 * T);
  };
  const u64 left = (u64)run.left + offset;

  u32 fetched = 0;                                    // fours of rows so far
  const u64 door_by = (u64)door.place * 16 - offset;  // from the own place in a row
  const auto fetch = [&](u64 cells) {
    const Shared own = own_slots + fetched % kSlots * kFour,
                 theirs = door_slots + fetched % kSlots * kDoorFour;
#pragma unroll
    for (int u = 0; u < 4; u++) {
      copy_async(own + u * kRow, multiply_wide_add((u32)(y_in + u), march.pitch, cells));
      if (door.opens_west || door.opens_east) {
        copy_async(theirs + u * kDoorRow,
                   multiply_wide_add((u32)(y_in + u), march.pitch, cells + door_by));
      }
    }
    y_in += 4;
    if (y_in >= height) y_in -= height;
  };
  // What the segment below left in the pass before `pass`, for that pass's four `four`.
  const auto fetch_left = [&](u32 pass, u32 four) {
    const u32 below = post.segment + 1 == march.segments ? 0 : post.segment + 1;
    const u32 row = left_row(pass + 1, below) + 4 * four;
#pragma unroll
    for (int u = 0; u < 4; u++) {
      copy_async(left_slots + fetched % kSlots * kFour + u * kRow,
                 multiply_wide_add(row + u, march.pitch, left));
    }
  };
  const auto end_fetch = [&] {
    end_copies();
    fetched++;
  };
  struct Four {
    Shared own, door;
  };
  const auto wait = [&] {
    // The one before the last that was fetched.
    Four at{own_slots + fetched % kSlots * kFour, door_slots + fetched % kSlots * kDoorFour};
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
  const auto write = [&](const u32(&c)[W], int u, u64 to) {
    if (!post.idle) store_row(multiply_wide_add((u32)(y_out + u), march.pitch, to), c);
  };
  const auto move_out = [&] {
    y_out += 4;
    if (y_out >= height) y_out -= height;
  };

  u32 ended = 0;  // chunks
  const auto begin_chunk = [&] {
    if (ended > 0) {
      __syncwarp();
      if (lane == 0) add_release(run.arrivals + (ended - 1) % kRelayRing, 1);
    }
    if (ended > run.lag) {
      const u32 wanted = ended - run.lag - 1;
      await(run.arrivals + wanted % kRelayRing, march.warps * (wanted / kRelayRing + 1), true);
    }
    ended++;
  };

  Stages stages;
  stages.clear();
  fetch_left(0, 0);  // of no pass: nothing of it is kept
  fetch(cells_of(0));
  end_fetch();
#pragma unroll 1
  for (u32 pass = 0;; pass++) {
    begin_chunk();
    const u64 from = cells_of(pass);
    const u32 own_left = left_row(pass, post.segment);
    u32 four = 0;
#pragma unroll 1
    for (; four < T / 2; four++) {
      if (four + 1 < T / 2) fetch_left(pass, four + 1);
      fetch(from);
      end_fetch();
      const Four at = wait();
      const Shared kept = left_slots + fetched % kSlots * kFour;
#pragma unroll 1
      for (int half = 0; half < 2; half++) {
        const u32 pair = 2 * four + half;
        u32 c[W];
#pragma unroll
        for (int u = 0; u < 2; u++) {
          read(c, at, 2 * half + u);
          const Shared slot = kept + (2 * half + u) * kRow;
          const u64 leave = multiply_wide_add(own_left + 2 * pair + u, march.pitch, left);
          if (u == 0) step_turning<0>(stages, pair, c, slot, !post.idle, leave, march);
          if (u == 1) step_turning<1>(stages, pair, c, slot, !post.idle, leave, march);
          if (pass > 0) write(c, 2 * half + u, from);
        }
#pragma unroll
        for (int t = 0; t < T; t++) {
          if ((u32)t == pair) {
            load_shared_again(c, kept + 2 * half * kRow);
            stages.absorb<0>(t, c);
            load_shared_again(c, kept + (2 * half + 1) * kRow);
            stages.absorb<1>(t, c);
          }
        }
      }
      if (pass > 0) move_out();
    }
    if (pass == run.passes) break;
    if (pass > 0) {
      y_out -= back;
      if (y_out < 0) y_out += height;
    }

    const u64 to = cells_of(pass + 1);
#pragma unroll 1
    for (u32 chunk = 1;; chunk++) {
      const u32 until = relay_chunk(fours, run.chunks, chunk);
#pragma unroll 1
      for (; four < until; four++) {
        if (four + 1 == fours) {  // the next is the first of the next pass
          y_in -= back;
          if (y_in < 0) y_in += height;
          fetch_left(pass + 1, 0);
          fetch(to);
        } else {
          fetch(from);
        }
        end_fetch();
        const Four at = wait();
#pragma unroll
        for (int u = 0; u < 4; u++) {
          u32 c[W];
          read(c, at, u);
          if (u % 2 == 0) stages.step<0>(c, {false, ~0u}, march);
          if (u % 2 == 1) stages.step<1>(c, {false, ~0u}, march);
          write(c, u, to);
        }
        move_out();
      }
      if (chunk == run.chunks) break;
      begin_chunk();
    }
  }
  Four last{own_slots, door_slots};
  await_copies<0>(last.own, last.door);
}
