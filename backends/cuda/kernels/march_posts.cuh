// What a warp and a lane of the kernels march, relay and cascade have to do, and where their halos
// come from; march.cu explains both.
#ifndef TESSERA_MARCH_POSTS_CUH
#define TESSERA_MARCH_POSTS_CUH

#include "layout_march.cuh"
#include "ptx.cuh"

#ifndef TESSERA_LONG
#define TESSERA_LONG 0
#endif

using namespace tessera::cuda;

namespace {

constexpr int W = kMarchWords, T = TESSERA_T, kWarps = TESSERA_WARPS;
constexpr bool kPlane = !TESSERA_TORUS;
static_assert(W == 4 && T <= kMarchReach, "vectors; the halo");

// What a lane does at the edges of a plane.
struct Sides {
  bool first;  // its word 3 has column -1, and more of what is outside, in its lowest byte
  u32 keep;    // bits of word TESSERA_LAST_WORD before column `width`
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

// Of a lane on a plane, for columns of the grid.
__device__ __forceinline__ Sides sides_of(const Post& post, const Grid& grid) {
  Sides sides{false, ~0u};
  if (kPlane) {
    sides.first = post.window == 0 && post.place == 0;
    // Columns of the grid from the lane's first on.
    const i64 left =
        grid.width - (i64)post.window * kMarchUseful - ((i64)post.place * kMarchLane - kMarchHalo);
    const int bits = (int)max((i64)0, min((i64)32, (left - TESSERA_LAST_WORD) / 4));
    sides.keep = bits == 32 ? ~0u : (1u << bits) - 1;
  }
  return sides;
}

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

}  // namespace

#endif
