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
// Order. All warps are on the device at once. A pass is cut into chunks, and a warp begins one when
// all warps have ended the chunk that lies `lag` + 1 before it (meeting.cuh). relay_plan.h computes
// `lag`, so that what is read through the doors has been stored, what is overwritten has been read,
// and what lies below has been left. Whoever is furthest behind waits for nobody.
//
// Warps of several segments take longer, so blocks get them by turns.
//
// Rings. Bands of a torus on several devices go on together: below the last segment of a band lies
// the first one of the next band, which leaves its rows in the memory of the device above, where
// the first segment of the band there would have left its own. So no row is computed twice, and all
// bands move down together; they begin as many rows above their own as they then move, rows that
// the band above had. Warps at the ends of a band tell the neighbour that they have left rows, or
// read them, when the first chunk of a pass has ended; nobody begins the last chunk of that pass
// before.
#include "march_stages.cuh"
#include "meeting.cuh"

namespace {

constexpr int kDoors = 2 * kRelayShare;  // of a row of a warp
constexpr u32 kRow = 32 * 16, kFour = 4 * kRow, kDoorRow = kDoors * 16, kDoorFour = 4 * kDoorRow;
constexpr u32 kAside = kSlots * (2 * kFour + kDoorFour);
constexpr u32 kRoom = kAside + 2 * kRow;  // bytes of shared memory of a warp
static_assert(T == 8 && !kPlane, "as many cases as stages; a torus");
// Longer circuits leave no register for addresses: they are computed where they are needed.
constexpr bool kKeeps = TESSERA_SHORT;
constexpr bool kRing = TESSERA_RING;
// Neighbours are told when a warp begins its next chunk, or at once: whichever the compiler finds
// registers for.
constexpr bool kTellsLate = kRing && kKeeps, kTellsAtOnce = kRing && !kKeeps;
static_assert(kSlots == 2 && kRoom == kRelayRoom, "as the host knows it");

// A row through all stages, of which those before `pair` have one of the new pass. The row that
// stage `pair` would be given first goes to `leave` and `aside`, and that in `slot` takes its
// place.
template <int kParity>
__device__ __forceinline__ void step_turning(Stages& stages, u32 pair, u32 (&c)[W], Shared slot,
                                             Shared aside, bool leaves, u64 leave,
                                             const MarchRun& run) {
#pragma unroll
  for (int first = 0; first < T; first += 4) {
    // Always; a branch keeps the compiler from mixing more stages than two rows have registers for.
    if ((u32)first < run.generations) {
#pragma unroll
      for (int t = first; t < first + 4; t++) {
        if ((u32)t == pair) change_rows(c, leaves, leave, aside, slot);
        stages.stage<kParity>(t, c, {false, ~0u}, run);
      }
    }
  }
}

// What was put aside goes into stage `pair`. A jump; asking eight times took a tenth of a turn.
__device__ __forceinline__ void absorb_aside(Stages& stages, u32 pair, Shared aside,
                                             const MarchRun& run) {
  u32 even[W], odd[W];
  load_shared_again(even, aside);
  load_shared_again(odd, aside + kRow);
  const auto absorb = [&](int t) {
    stages.absorb<0>(t, even, run);
    stages.absorb<1>(t, odd, run);
  };
  switch (pair) {
    case 0:
      absorb(0);
      break;
    case 1:
      absorb(1);
      break;
    case 2:
      absorb(2);
      break;
    case 3:
      absorb(3);
      break;
    case 4:
      absorb(4);
      break;
    case 5:
      absorb(5);
      break;
    case 6:
      absorb(6);
      break;
    default:
      absorb(7);
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(32 * kWarps, kWarpsAtOnce / kWarps)
    relay(const Grid grid, const RelayRun run) {
  TESSERA_DYNAMIC_SHARED(room);
  const MarchRun& march = run.march;
  const Meeting meeting(shared_address(room + kWarps * (kRoom / 16)), march.warps, run.arrivals);
  const u32 warp = threadIdx.x / 32 * gridDim.x + blockIdx.x, lane = threadIdx.x & 31;
  if (warp >= march.warps) return;
  const Post post = post_of(warp, grid, march);
  const Door door = door_of(post, grid, march);
  const int height = (int)grid.height;

  // The vote tells the compiler that the lanes of a warp have as many rows. What follows from a few
  // words is computed where it is needed: no register is left.
  const u32 whole = march.whole * march.segments;
  const u32 first = warp < whole ? warp / march.whole : (warp - whole) * march.share;
  const bool longer = __any_sync(~0u, first < run.longer);
  const auto fours = [&] { return run.fours + (longer ? 1 : 0); };
  int y_in =
      (int)run.first_row + 4 * (int)(post.segment * run.fours + min(post.segment, run.longer));
  int y_out = y_in + T;
  if (y_out >= height) y_out -= height;
  // From the end of a segment to where it begins next.
  const auto go_back = [&](int& y) {
    y -= 4 * (int)fours() - T;
    if (y < 0) y += height;
  };

  const Shared slots = shared_address(room + threadIdx.x / 32 * (kRoom / 16));
  const Shared own_slots = slots + lane * 16, left_slots = own_slots + kSlots * kFour,
               aside = own_slots + kAside, door_slots = slots + 2 * kSlots * kFour + door.slot * 16;
  const u32 offset = (post.window * 32 + post.place) * 16;  // in a row
  // The own place in a row that a segment leaves in a pass; two passes are kept. `left`: where.
  const auto place_left = [&](const u32* left, u32 pass, u32 segment, u32 row) {
    u32 at = offset;
    if (!kKeeps) forget(segment), forget(at);
    const u32 kept = kRing ? 2 * segment + pass % 2 : pass % 2 * march.segments + segment;
    return multiply_wide_add(kept * (2 * T) + row, march.pitch, (u64)left + at);
  };

  u32 fetched = 0;                                    // fours of rows so far
  const u64 door_by = (u64)door.place * 16 - offset;  // from the own place in a row
  const auto fetch = [&](u64 cells) {
    u64 beyond = cells + door_by;
    if (!kKeeps) {
      u32 by = door.place * 16, at = offset;
      forget(by), forget(at);
      beyond = cells + by - at;
    }
    const Shared own = own_slots + fetched % kSlots * kFour,
                 theirs = door_slots + fetched % kSlots * kDoorFour;
#pragma unroll
    for (int u = 0; u < 4; u++) {
      copy_async(own + u * kRow, multiply_wide_add((u32)(y_in + u), march.pitch, cells));
      if (door.opens_west || door.opens_east) {
        copy_async(theirs + u * kDoorRow, multiply_wide_add((u32)(y_in + u), march.pitch, beyond));
      }
    }
    y_in += 4;
    if (y_in >= height) y_in -= height;
  };
  // What the segment below left in the pass before `pass`, for that pass's four `four`.
  const auto fetch_left = [&](u32 pass, u32 four) {
    const u32 below = post.segment + 1 == march.segments ? 0 : post.segment + 1;
#pragma unroll
    for (int u = 0; u < 4; u++) {
      copy_async(left_slots + fetched % kSlots * kFour + u * kRow,
                 place_left(run.left, pass + 1, below, 4 * four + u));
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

  // Whether a segment of the warp is the first of the band, or the last. Looked up each time, for
  // want of registers.
  const auto is_edge = [&](u32 side) {
    u32 thread = threadIdx.x;
    forget(thread);
    const u32 own = thread / 32 * gridDim.x + blockIdx.x, wide = march.whole * march.segments;
    if (side == 0) return own < march.whole || own == wide;
    return own < wide ? own >= wide - march.whole : own == march.warps - 1;
  };
  const auto tell_neighbours = [&] {
    __syncwarp();
    const u32 side = threadIdx.x % 32;
    if (side < 2 && is_edge(side)) count_elsewhere(run.ring.tells[side]);
  };

  u32 ended = 0;  // chunks
  const auto begin_chunk = [&] {
    if (kTellsLate && ended > 0 && (ended - 1) % run.chunks == 0) tell_neighbours();
    if (ended > 0) meeting.arrive(ended - 1);
    if (ended > run.lag) {
      const u32 chunk = ended - run.lag - 1;
      const u32 counted = run.ring.before + (chunk / run.chunks + 1) * run.ring.warps;
      meeting.await_all<kRing>(chunk, run.ring.told, counted);
    }
    ended++;
  };

  Stages stages;
  stages.clear();
  // Of the launch before, the neighbours have read all.
  if (kRing) await(run.ring.told + lane % 2, run.ring.before, true);
  // The own place in row 0 of the cells before a pass, and after it.
  u64 from = (u64)run.even + offset, to = (u64)run.odd + offset;
  const auto cells_of = [&](u32 pass, u64 kept) {
    if (kKeeps) return kept;
    u32 at = offset;
    forget(at);
    return (u64)(pass % 2 ? run.odd : run.even) + at;
  };
  fetch_left(0, 0);  // of no pass: nothing of it is kept
  fetch(from);
  end_fetch();
#pragma unroll 1
  for (u32 pass = 0;; pass++) {
    begin_chunk();
#pragma unroll 1
    for (u32 four = 0; four < T / 2; four++) {
      if (four + 1 < T / 2) fetch_left(pass, four + 1);
      fetch(cells_of(pass, from));
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
          const u64 leave = place_left(kRing && post.segment == 0 ? run.ring.left_above : run.left,
                                       pass, post.segment, 2 * pair + u);
          const Shared by = aside + u * kRow;
          if (u == 0) step_turning<0>(stages, pair, c, slot, by, !post.idle, leave, march);
          if (u == 1) step_turning<1>(stages, pair, c, slot, by, !post.idle, leave, march);
          if (pass > 0) write(c, 2 * half + u, cells_of(pass, from));
        }
        absorb_aside(stages, pair, aside, march);
      }
      if (pass > 0) move_out();
    }
    if (kTellsAtOnce) tell_neighbours();
    if (pass == run.passes) break;
    if (pass > 0) go_back(y_out);

#pragma unroll 1
    for (u32 chunk = 1;; chunk++) {
      const u32 before = chunk == 1 ? T / 2 : relay_chunk(fours(), run.chunks, chunk - 1);
#pragma unroll 1
      for (u32 ahead = relay_chunk(fours(), run.chunks, chunk) - before; ahead > 0; ahead--) {
        if (ahead == 1 && chunk == run.chunks) {  // the next is the first of the next pass
          go_back(y_in);
          fetch_left(pass + 1, 0);
          fetch(cells_of(pass + 1, to));
        } else {
          fetch(cells_of(pass, from));
        }
        end_fetch();
        const Four at = wait();
#pragma unroll
        for (int u = 0; u < 4; u++) {
          u32 c[W];
          read(c, at, u);
          if (u % 2 == 0) stages.step<0>(c, {false, ~0u}, march);
          if (u % 2 == 1) stages.step<1>(c, {false, ~0u}, march);
          write(c, u, cells_of(pass + 1, to));
        }
        move_out();
      }
      if (chunk == run.chunks) break;
      begin_chunk();
    }
    const u64 other = from;
    from = to, to = other;
  }
  if (kTellsLate) tell_neighbours();
  Four last{own_slots, door_slots};
  await_copies<0>(last.own, last.door);
}
