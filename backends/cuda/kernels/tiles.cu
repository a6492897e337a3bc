// Tiles of 48 x 48 cells on a plane of which only what moves is stepped (core/tiles/tile_device.h).
//
// A warp steps the window of a tile, its cells and 8 around, 1 to 8 generations in registers: lane
// l holds rows 2l and 2l + 1, row codes cross lanes by shuffles. Where the outcome is not what the
// tile was a ring of steps ago, the warp writes it and puts the tile and those neighbours that see
// the difference on the worklist of the next step, which reads its length from memory: no host
// takes part in a batch of steps. A step that finds a neighbour missing which the next one would
// have to visit ends the batch.
//
// A rule that is a program may have several bit planes (TESSERA_PLANES); they stand one after the
// other in every state. Only the first one has neighbours, and a tile differs where any plane does.
#include "tile_window.cuh"

namespace {

// Bits of a lane's rows that neighbours see, ORed over both rows and all planes.
struct Difference {
  u32 low_word, high_word;
};

// Puts a lane's rows into a plane of a state where they are others.
__device__ __forceinline__ void replace(ulonglong2* at, const ulonglong2& next, Difference& d) {
  const ulonglong2 old = *at;
  const u64 bits = (next.x ^ old.x) | (next.y ^ old.y);
  if (bits) *at = next;
  d.low_word |= low(bits), d.high_word |= high(bits);
}

// What the warp's tile has to tell after a difference: lane d < 8 about its neighbour in way d,
// lane 8 about itself.
__device__ __forceinline__ void tell(const TileRing& ring, const TileLaunch& s, u32 tile,
                                     u32 neighbour, u32 nowhere, const Difference& d, u32 any,
                                     bool again) {
  const u32 lane = lane_of();
  const u32 west = __ballot_sync(kAll, d.low_word & kLeftLow);
  const u32 east = __ballot_sync(kAll, d.high_word & kRightHigh);
  bool wanted = false;
  if (lane < kWays) {
    const bool is_west = lane == 0 || lane == 3 || lane == 5, is_middle = lane == 1 || lane == 6;
    const u32 rows = lane < 3 ? kTopLanes : lane < 5 ? kAll : kBottomLanes;
    wanted = ((is_west ? west : is_middle ? any : east) & rows) != 0;
  } else if (lane == kWays) {
    wanted = again;
    neighbour = tile;
  }
  const u32 missing = __ballot_sync(kAll, wanted && neighbour == 0) & ~nowhere;
  if (missing && lane == 0) {
    ring.missing[atomicAdd(&ring.control->missing, 1u)] = {tile, missing};
    ring.control->stop = s.index + 1;
  }
  wanted = wanted && neighbour != 0;
  if (wanted) {
    u32* const queued = &ring.tiles[neighbour].queued;
    const u32 stamp = s.step + 2;
    wanted = *(volatile u32*)queued != stamp && atomicExch(queued, stamp) != stamp;
  }
  const u32 fresh = __ballot_sync(kAll, wanted);
  if (!fresh) return;
  u32 at = 0;
  if (lane == 0) at = atomicAdd(&ring.control->counts[(s.step + 1) % 3], (u32)__popc(fresh));
  at = __shfl_sync(kAll, at, 0);
  if (wanted) {
    list_of(ring, s.step + 1)[at + __popc(fresh & ((1u << lane) - 1))] = neighbour;
  }
}

__device__ __forceinline__ u32 sum_of(u32 value) {
#pragma unroll
  for (u32 apart = 16; apart > 0; apart /= 2) value += __shfl_xor_sync(kAll, value, apart);
  return value;
}

}  // namespace

// Where many planes do not fit the registers that a thread gets by itself, it gets more.
#if TESSERA_PLANES > 4
#define BLOCKS 2
#else
#define BLOCKS 0  // as the compiler likes
#endif

extern "C" __global__ void __launch_bounds__(256, BLOCKS)
    step_tiles(const TileRing ring, const TileLaunch s) {
  wait_for_last_launch();
  TileControl& control = *ring.control;
  const u32 stop = *(volatile u32*)&control.stop;
  if (stop != 0 && stop <= s.index) return;
  const u32 count = control.counts[s.step % 3];
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    control.counts[(s.step + 2) % 3] = 0;
    control.visits += (u64)count * s.generations;
  }
  const u32 lane = lane_of();
  const u32* const list = list_of(ring, s.step);
  for (u32 k = warp_index(); k < count; k += warp_count()) {
    const u32 tile = list[k];
    const TileRecord* const record = &ring.tiles[tile];
    // next, hold, queued, frame.
    const u32 fact = lane < 12 ? ((const u32*)record)[lane] : 0;
    const bool again = __shfl_sync(kAll, fact, 8) > s.step;
    const u32 frame = __shfl_sync(kAll, fact, 10);
    if (frame & kTileCopy) continue;
    Rows rows = load_window(ring, tile, fact, s.now);
    step_window(ring, rows, frame & kTileFrame, s.generations, s.odd);
    Difference d = {0, 0};
    if (lane >= kFirstOwn && lane < kEndOwn) {
      ulonglong2* const at = &state_of(ring, tile, s.after)[lane - kFirstOwn];
#pragma unroll
      for (u32 p = 0; p < kPlanes; p++) replace(at + p * kPairs, own_pair(rows, p), d);
    }
    const u32 any = __ballot_sync(kAll, d.low_word | d.high_word);
    if (any && lane == 0) {
      ring.tiles[tile].epoch = s.epoch;
      ring.tiles[tile].changed = s.step + 1;
    }
    if (any || again) tell(ring, s, tile, fact, frame >> kTileNowhere, d, any, any || again);
  }
}

// Makes the tiles that repeat others anew in slot `after` where those have changed in this step, or
// all of them; they are told about as if they had been visited.
extern "C" __global__ void __launch_bounds__(256, 4)
    renew_copies(const TileRing ring, const TileLaunch s, u32 all) {
  wait_for_last_launch();
  const u32 stop = *(volatile u32*)&ring.control->stop;
  if (!all && stop != 0 && stop <= s.index) return;
  const u32 lane = lane_of();
  for (u32 n = warp_index(); n < ring.copy_count; n += warp_count()) {
    const TileRepeat copy = ring.copies[n];
    bool stale = all != 0;
    for (u32 i = lane; i < copy.count; i += 32) {
      stale = stale || ring.tiles[ring.parts[copy.first + i].tile].changed == s.step + 1;
    }
    if (!__ballot_sync(kAll, stale)) continue;
    const u32 fact = lane < 12 ? ((const u32*)&ring.tiles[copy.tile])[lane] : 0;
    const u32 nowhere = __shfl_sync(kAll, fact, 10) >> kTileNowhere;
    Difference d = {0, 0};
    if (lane >= kFirstOwn && lane < kEndOwn) {
      const u32 row = 2 * (lane - kFirstOwn);
      ulonglong2* const at = &state_of(ring, copy.tile, s.after)[lane - kFirstOwn];
      for (u32 p = 0; p < kPlanes; p++) {
        u64 rows[2] = {0, 0};
        for (u32 i = 0; i < copy.count; i++) {
          const TilePart part = ring.parts[copy.first + i];
          const ulonglong2* const state = state_of(ring, part.tile, s.after);
          const u64* const from = (const u64*)(state + p * kPairs);
          for (u32 half = 0; half < 2; half++) {
            const u32 r = row + half;
            if (r < part.y || r >= (u32)part.y + part.height) continue;
            const u64 bits = from[r - part.y + part.from_y] >> (8 + part.from_x);
            rows[half] |= (bits & (((u64)1 << part.width) - 1)) << (8 + part.x);
          }
        }
        replace(at + p * kPairs, {rows[0], rows[1]}, d);
      }
    }
    const u32 any = __ballot_sync(kAll, d.low_word | d.high_word);
    if (any) tell(ring, s, copy.tile, fact, nowhere, d, any, false);
  }
}

// Puts the cells of all tiles some generations later into the place behind the ring.
extern "C" __global__ void __launch_bounds__(256, BLOCKS)
    look_ahead(const TileRing ring, u32 now, u32 generations, u32 odd) {
  const u32 lane = lane_of();
  for (u32 tile = 1 + warp_index(); tile < ring.end; tile += warp_count()) {
    const u32 fact = lane < 12 ? ((const u32*)&ring.tiles[tile])[lane] : 0;
    const u32 frame = __shfl_sync(kAll, fact, 10);
    Rows rows = load_window(ring, tile, fact, now);
    step_window(ring, rows, frame & kTileFrame, generations, odd);
    if (lane >= kFirstOwn && lane < kEndOwn) {
      ulonglong2* const at = &state_of(ring, tile, ring.places - 1)[lane - kFirstOwn];
#pragma unroll
      for (u32 p = 0; p < kPlanes; p++) at[p * kPairs] = own_pair(rows, p);
    }
  }
}

// Begins another ring in `to`: its first place gets what place `kept` of `from` has held, all
// others nothing. The memory may be the same where the number of places is.
extern "C" __global__ void restart_tiles(const TileRing from, const TileRing to, u32 kept) {
  const u32 lane = lane_of();
  if (blockIdx.x == 0 && threadIdx.x < 3) to.control->counts[threadIdx.x] = 0;
  for (u32 tile = warp_index(); tile < to.end; tile += warp_count()) {
    if (lane == 0) {
      TileRecord& record = to.tiles[tile];
      record.hold = record.queued = record.epoch = record.changed = 0;
    }
    if (lane >= kPairs) continue;
    // Copies begin empty: when they are made anew, they wake those who see them.
    const bool copy = to.tiles[tile].frame & kTileCopy;
    for (u32 p = 0; p < kPlanes; p++) {
      const u32 at = p * kPairs + lane;
      ulonglong2 pair = {0, 0};
      if (kept < from.places && !copy) pair = state_of(from, tile, kept)[at];
      for (u32 slot = 0; slot < to.places; slot++) {
        state_of(to, tile, slot)[at] = pair;
        pair.x = pair.y = 0;
      }
    }
  }
}

// What the host has changed.
extern "C" __global__ void patch_tiles(const TileRing ring, const TileChanges c) {
  const u32 thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  for (u32 n = thread; n < 9 * c.linked_count; n += threads) {
    TileRecord& record = ring.tiles[c.linked[n / 9]];
    const u32 value = c.linked[c.linked_count + n];
    if (n % 9 < kWays) {
      record.next[n % 9] = value;
    } else {
      record.frame = value;
    }
  }
  constexpr u32 kRows = 2 * kPairs * kPlanes;
  for (u64 n = thread; n < (u64)c.drawn_count * kRows; n += threads) {
    const u32 tile = c.drawn[n / kRows];
    ((u64*)state_of(ring, tile, c.slot))[n % kRows] = c.rows[n] << 8;
    ring.tiles[tile].epoch = c.epoch;
  }
  for (u32 n = thread; n < c.held_count; n += threads) ring.tiles[c.held[n]].hold = c.hold;
  for (u32 n = thread; n < c.queued_count; n += threads) {
    const u32 tile = c.queued[n], stamp = c.step + 1;
    if (atomicExch(&ring.tiles[tile].queued, stamp) == stamp) continue;
    list_of(ring, c.step)[atomicAdd(&ring.control->counts[c.step % 3], 1u)] = tile;
  }
}

#if TESSERA_PLANES == 1
// Columns x .. x + 47 of a row of a grid; those beyond its edge are dead, or on a torus its first
// ones.
__device__ __forceinline__ u64 columns_of(const TileBand& band, const u64* row, i64 x) {
  constexpr u64 kTile = ((u64)1 << 48) - 1;
  if (x + 48 <= band.width) {
    const int shift = (int)(x & 63);
    u64 bits = row[x >> 6] >> shift;
    if (shift > 16) bits |= row[(x >> 6) + 1] << (64 - shift);
    return bits & kTile;
  }
  u64 bits = 0;
  for (int i = 0; i < 48; i++) {
    if (x + i >= band.width && !band.torus) break;
    const i64 column = (x + i) % band.width;
    bits |= (row[column >> 6] >> (column & 63) & 1) << i;
  }
  return bits;
}

// The cells of a band of a grid become those of its tiles in a slot.
extern "C" __global__ void take_band(const TileRing ring, const TileBand band) {
  const u64 threads = (u64)gridDim.x * blockDim.x;
  const u64 all = (u64)band.rows * band.across;
  for (u64 n = (u64)blockIdx.x * blockDim.x + threadIdx.x; n < all; n += threads) {
    const i64 row = (i64)(n / band.across), x = (i64)(n % band.across);
    const u64 bits = columns_of(band, band.words + row * band.row_words, 48 * x);
    for (i64 y = band.first + row; y < 48 * (i64)band.down; y += band.height) {
      const u32 tile = band.tiles[y / 48 * band.across + x];
      ring.cells[((u64)tile * ring.places + band.slot) * 48 + (u64)(y % 48)] = bits << 8;
      if (!band.torus) break;
    }
  }
}
#endif

// Facts of all tiles: see TileFacts. `since`: the slot of the last look, or ring.places when all
// that lives counts as changed.
extern "C" __global__ void look_at_tiles(const TileRing ring, u32 slot, u32 since, u32 epoch,
                                         u32 step, u32 of_all_slots, u16* facts) {
  const u32 lane = lane_of();
  for (u32 tile = warp_index(); tile < ring.end; tile += warp_count()) {
    ulonglong2 alive = {0, 0};
    u64 differs = 0, others = 0;
    for (u32 p = 0; p < kPlanes && lane < kPairs; p++) {
      const u32 at = p * kPairs + lane;
      const ulonglong2 pair = state_of(ring, tile, slot)[at];
      const ulonglong2 before = since < ring.places ? state_of(ring, tile, since)[at] : pair;
      alive.x |= pair.x, alive.y |= pair.y;
      differs |= (pair.x ^ before.x) | (pair.y ^ before.y);
      for (u32 k = 0; of_all_slots && k + 1 < ring.places; k++) {
        const ulonglong2 other = state_of(ring, tile, k)[at];
        others |= other.x | other.y;
      }
    }
    const u32 live = sum_of((u32)(__popcll(alive.x) + __popcll(alive.y)));
    const u32 moved = __ballot_sync(kAll, differs != 0);
    const u32 lived = __ballot_sync(kAll, others != 0);
    if (lane != 0) continue;
    const TileRecord& record = ring.tiles[tile];
    const bool changed = moved || record.epoch == epoch || since >= ring.places;
    const bool idle = of_all_slots && !lived && record.queued != step + 1;
    facts[tile] = (u16)(live | (u32)changed << 15 | (u32)idle << 14 | (u32)(lived != 0) << 13);
  }
}

// The rows of some tiles, plane after plane, columns from bit 0.
extern "C" __global__ void take_tiles(const TileRing ring, u32 slot, const u32* tiles, u32 count,
                                      u64* rows) {
  const u64 threads = (u64)gridDim.x * blockDim.x;
  constexpr u32 kRows = 2 * kPairs * kPlanes;
  for (u64 n = (u64)blockIdx.x * blockDim.x + threadIdx.x; n < (u64)count * kRows; n += threads) {
    rows[n] = ((const u64*)state_of(ring, tiles[n / kRows], slot))[n % kRows] >> 8;
  }
}

#if TESSERA_PLANES == 1
namespace {

__device__ __forceinline__ u32 union_of(u32 value) {
#pragma unroll
  for (u32 apart = 16; apart > 0; apart /= 2) value |= __shfl_xor_sync(kAll, value, apart);
  return value;
}

__device__ __forceinline__ void note_shape(const TileRing& ring, u32 tile, u32 what) {
  if (lane_of() != 0) return;
  const u32 at = atomicAdd(&ring.control->shapes, 1u);
  if (at < ring.most_shapes) ring.shapes[at] = {tile, what};
}

}  // namespace

// Shapes of at most 3 x 3 cells that stand alone in the windows of the tiles on a worklist and
// begin in them: tile, and shape | x << 9 | y << 15; 0 for tiles with cells in whose windows there
// are more, at most `most`.
extern "C" __global__ void lone_shapes(const TileRing ring, u32 step, u32 slot, u32 cells,
                                       u32 most) {
  const u32 lane = lane_of(), count = ring.control->counts[step % 3];
  for (u32 k = warp_index(); k < count; k += warp_count()) {
    const u32 tile = list_of(ring, step)[k];
    const u32 fact = lane < 12 ? ((const u32*)&ring.tiles[tile])[lane] : 0;
    const Rows rows = load_window(ring, tile, fact, slot);
    const auto& w = rows.w[0];
    const u32 live =
        sum_of((u32)(__popc(w[0][0]) + __popc(w[0][1]) + __popc(w[1][0]) + __popc(w[1][1])));
    if (live != cells) {
      const ulonglong2 pair = own_pair(rows, 0);
      const bool inside = lane >= kFirstOwn && lane < kEndOwn && (pair.x | pair.y) != 0;
      if (__ballot_sync(kAll, inside) && live > cells && live <= most) note_shape(ring, tile, 0);
      continue;
    }
    const u32 even = __ballot_sync(kAll, w[0][0] | w[0][1]);
    const u32 odd = __ballot_sync(kAll, w[1][0] | w[1][1]);
    const u32 low_columns = union_of(w[0][0] | w[1][0]);
    const u32 high_columns = union_of(w[0][1] | w[1][1]);
    u32 top = 64, bottom = 0;
    for (u32 i = 0; i < 32; i++) {
      for (u32 half = 0; half < 2; half++) {
        if (!((half ? odd : even) >> i & 1)) continue;
        if (top == 64) top = 2 * i + half;
        bottom = 2 * i + half;
      }
    }
    const u64 columns = (u64)high_columns << 32 | low_columns;
    u32 left = 0, right = 63;
    while (left < 63 && !(columns >> left & 1)) left++;
    while (right > 0 && !(columns >> right & 1)) right--;
    if (top < 8 || top >= 56 || left < 8 || left >= 56) continue;
    if (bottom - top > 2 || right - left > 2) continue;
    const u64 own[2] = {(u64)w[0][1] << 32 | w[0][0], (u64)w[1][1] << 32 | w[1][0]};
    u32 shape = 0;
    for (u32 i = 0; i < 3; i++) {
      const u32 row = top + i;
      const u32 bits = (u32)((row & 1 ? own[1] : own[0]) >> left) & 7;
      shape |= __shfl_sync(kAll, bits, row >> 1) << (3 * i);
    }
    note_shape(ring, tile, shape | (left - 8) << 9 | (top - 8) << 15);
  }
}
#endif
