// Compiled once for every instruction set (Highway's foreach_target); the best one is chosen at run
// time. Most loops over words are left to the compiler.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/coded_tiles.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <array>

#include "backends/cpu/coded_tiles.h"
#include "backends/cpu/tile_worklist.h"

HWY_BEFORE_NAMESPACE();
namespace tessera {
namespace HWY_NAMESPACE {
namespace {

constexpr std::size_t kPlaneWords = StateStore::kWords;  // words of a tile's plane
constexpr std::size_t kWindow = kWindowWords;            // of its window's
constexpr int kResidueWords = 8;                         // words of each residue of rows

constexpr std::uint32_t kSeenLeft = 1u << 0 | 1u << 3 | 1u << 5;
constexpr std::uint32_t kSeenRight = 1u << 2 | 1u << 4 | 1u << 7;

// A tile and its neighbours, by way; [8] is the tile itself. Those that it sees no cells of are
// the empty state.
struct Around {
  std::array<const std::uint64_t*, kTileWays + 1> of{};
  std::uint32_t seen = 0;
  TileState own = 0;
};

const std::uint64_t* words_of(const CodedTiles& p, const TileVisit& v, TileState state) {
  return p.planes ? p.planes->words(state) : v.states->words(state);
}

Around around_of(const CodedTiles& p, const TileVisit& v, TileId tile) {
  Around out;
  out.own = v.now[tile];
  out.of[kTileWays] = words_of(p, v, out.own);
  for (int d = 0; d < kTileWays; d++) {
    const TileState state = v.now[v.tiles[tile].next[d]];
    const std::uint32_t seen = v.states->seen_by(state) >> (kTileWays - 1 - d) & 1u;
    out.of[d] = words_of(p, v, seen ? state : 0);
    out.seen |= seen << d;
  }
  return out;
}

// A column of the window, of three tiles one above the other.
void load_column(const std::uint64_t* own, const std::uint64_t* up, const std::uint64_t* down,
                 std::uint64_t* to) {
  for (int j = 0; j < kResidueWords; j++) {
    to[kResidueWords * j] = up[6 * j + 5];
    for (int i = 0; i < 6; i++) to[kResidueWords * j + 1 + i] = own[6 * j + i];
    to[kResidueWords * j + 7] = down[6 * j];
  }
}

// The window's cells in a plane.
void load_plane(const Around& around, std::size_t plane, std::uint64_t* to) {
  const std::size_t at = plane * kPlaneWords;
  const auto column = [&](int middle, int up, int down, std::uint64_t* into) {
    load_column(around.of[middle] + at, around.of[up] + at, around.of[down] + at, into);
  };
  HWY_ALIGN std::uint64_t side[kWindow];
  column(kTileWays, 1, 6, to);
  if (around.seen & kSeenLeft) {
    column(3, 0, 5, side);
    for (std::size_t i = 0; i < kWindow; i++) to[i] |= side[i] >> kTileSide;
  }
  if (around.seen & kSeenRight) {
    column(4, 2, 7, side);
    for (std::size_t i = 0; i < kWindow; i++) to[i] |= side[i] << kTileSide;
  }
}

// The cells of a tile so many generations later, by plane, cut out of its window.
void step_tile(const CodedTiles& p, const TileVisit& v, TileId tile, const Around& around,
               std::uint64_t* scratch, std::uint64_t* out) {
  const auto count = static_cast<std::size_t>(p.stepper->planes());
  WindowPlanes planes;
  std::uint64_t* memory = scratch + p.stepper->scratch_words();
  for (std::size_t plane = 0; plane < count; plane++) {
    planes.now[plane] = memory + 2 * plane * kWindow;
    planes.spare[plane] = memory + (2 * plane + 1) * kWindow;
    load_plane(around, plane, planes.now[plane]);
  }
  const Tile& t = v.tiles[tile];
  for (int g = 0; g < v.generations; g++) {
    p.stepper->step((g + v.odd) % 2 != 0, scratch, planes);
    if (!t.frame) continue;
    const std::uint64_t* const mask = v.masks[t.frame].rows;
    for (std::size_t plane = 0; plane < count; plane++) {
      for (std::size_t i = 0; i < kWindow; i++) planes.now[plane][i] &= mask[i];
    }
  }
  for (std::size_t plane = 0; plane < count; plane++) {
    const std::uint64_t* const window = planes.now[plane];
    for (int j = 0; j < kResidueWords; j++) {
      for (int i = 0; i < 6; i++) {
        out[plane * kPlaneWords + static_cast<std::size_t>(6 * j + i)] =
            window[kResidueWords * j + 1 + i] & tile_worklist::kColumns;
      }
    }
  }
}

// How a tile's new cells differ from two of its states.
struct Change {
  std::uint64_t differs[6] = {}, live[6] = {};  // from the older one; by row of words
  bool any = false, from_now = false, alive = false;
};

Change change_of(std::size_t planes, const std::uint64_t* words, const std::uint64_t* older,
                 const std::uint64_t* now) {
  Change c;
  std::uint64_t changed = 0;
  for (std::size_t at = 0; at < planes * kPlaneWords; at += 6) {
    for (std::size_t i = 0; i < 6; i++) {
      c.differs[i] |= words[at + i] ^ older[at + i];
      c.live[i] |= words[at + i];
      changed |= words[at + i] ^ now[at + i];
    }
  }
  for (int i = 0; i < 6; i++) c.any |= c.differs[i] != 0, c.alive |= c.live[i] != 0;
  c.from_now = changed != 0;
  return c;
}

// The words of a state that was made for them.
void write(const CodedTiles& p, const TileVisit& v, const std::uint64_t* words, TileState state) {
  const auto count = static_cast<std::size_t>(p.stepper->planes());
  std::uint64_t* const live = v.states->words(state);
  std::copy_n(words, kPlaneWords, live);
  if (!p.planes) return;
  for (std::size_t i = kPlaneWords; i < count * kPlaneWords; i++) live[i % kPlaneWords] |= words[i];
  std::copy_n(words, count * kPlaneWords, p.planes->words(state));
}

void visit_one(const CodedTiles& p, const TileVisit& v, TileLane& lane, std::uint64_t* scratch,
               TileId tile) {
  const auto count = static_cast<std::size_t>(p.stepper->planes());
  const Around around = around_of(p, v, tile);
  std::uint64_t* const words = scratch + p.stepper->scratch_words() + 2 * count * kWindow;
  if (around.own || around.seen) {
    step_tile(p, v, tile, around, scratch, words);
  } else {
    std::fill_n(words, count * kPlaneWords, 0);
  }
  const TileState old = v.after[tile];
  const Change change = change_of(count, words, words_of(p, v, old), around.of[kTileWays]);
  if (!change.any) return;
  TileState out = !change.alive ? 0 : !change.from_now ? around.own : old;
  if (change.alive && change.from_now) {
    const bool anew = !v.states->rewritable(old);
    if (anew) out = v.states->make(lane.states);  // held once
    write(p, v, words, out);
    v.states->written(out, tile_worklist::ways_of(change.live));
    if (anew) v.states->release(old, lane.states);
  } else {
    v.states->hold(out);
    v.states->release(old, lane.states);
  }
  v.after[tile] = out;
  tile_worklist::tell(v, lane, tile, tile_worklist::ways_of(change.differs));
}

}  // namespace

void visit_coded(const CodedTiles& p, const TileVisit& v, TileLane& lane, std::uint64_t* scratch,
                 const TileId* list, std::size_t count) {
  for (std::size_t i = 0; i < count; i++) visit_one(p, v, lane, scratch, list[i]);
}

TileState peek_coded(const CodedTiles& p, const TileVisit& v, std::uint64_t* scratch, TileId tile) {
  const auto count = static_cast<std::size_t>(p.stepper->planes());
  const Around around = around_of(p, v, tile);
  if (!around.own && !around.seen) return 0;
  std::uint64_t* const words = scratch + p.stepper->scratch_words() + 2 * count * kWindow;
  step_tile(p, v, tile, around, scratch, words);
  const Change change = change_of(count, words, around.of[kTileWays], around.of[kTileWays]);
  if (!change.alive) return 0;
  if (!change.any) {
    v.states->hold(around.own);
    return around.own;
  }
  v.states->reserve(1, 1);
  if (p.planes) p.planes->reserve(v.states->end());
  const TileState out = v.states->make();
  write(p, v, words, out);
  return out;
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera {

HWY_EXPORT(visit_coded);
HWY_EXPORT(peek_coded);

std::size_t coded_scratch_words(const WindowStepper& stepper) {
  return stepper.scratch_words() +
         static_cast<std::size_t>(stepper.planes()) * (2 * kWindowWords + StatePlanes::kWords);
}

void coded_tile_visit(const CodedTiles& tiles, const TileVisit& visit, TileLane& lane,
                      std::uint64_t* scratch, const TileId* list, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(visit_coded)(tiles, visit, lane, scratch, list, count);
}

TileState coded_tile_peek(const CodedTiles& tiles, const TileVisit& visit, std::uint64_t* scratch,
                          TileId tile) {
  return HWY_DYNAMIC_DISPATCH(peek_coded)(tiles, visit, scratch, tile);
}

}  // namespace tessera
#endif
