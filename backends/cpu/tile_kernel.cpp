// Compiled once for every instruction set (Highway's foreach_target); the best one is chosen at run
// time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/tile_kernel.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "backends/cpu/tile_kernel.h"
#include "backends/cpu/tile_worklist.h"
#include "backends/cpu/unrolling.h"

HWY_BEFORE_NAMESPACE();
namespace tessera {
namespace HWY_NAMESPACE {
namespace {  // strip_kernel.cpp has the same namespace and includes the same texts

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<std::uint64_t, 8>;
using Vec = hn::Vec<Tag>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(Tag()));
constexpr int kParts = 8 / kLanes;  // vectors that hold eight lanes
using tile_worklist::kColumns;
using tile_worklist::kSeenColumns;
using tile_worklist::queue;
using tile_worklist::tell;
using tile_worklist::ways_of;

// Each needs those before it.
#include "backends/cpu/rule_gates.inl"

#include "backends/cpu/tile_window.inl"

#include "backends/cpu/tile_band.inl"

#include "backends/cpu/tile_steps.inl"

#include "backends/cpu/tile_difference.inl"

// Puts another state into the slot, and tells whom the difference concerns.
TESSERA_INLINE void settle(const TileVisit& v, TileLane& lane, TileId tile, TileState out,
                           const Difference& d) {
  const TileState old = v.after[tile];
  if (out != old) {
    v.states->hold(out);
    v.states->release(old, lane.states);
    v.after[tile] = out;
  }
  tell(v, lane, tile, d.ways);
}

// A state that exists already, instead of the one in the slot.
TESSERA_INLINE void take(const TileVisit& v, TileLane& lane, TileId tile, TileState out) {
  const TileState old = v.after[tile];
  if (out == old) return;
  const Difference d = compare(v.states->words(out), v.states->words(old), v.states->words(out));
  if (d.any) settle(v, lane, tile, out, d);  // an equal one stays
}

// What a visit reads, found some visits ahead.
struct Surroundings {
  TileState own = 0;
  Nine around;
};

// Adds a neighbour's state; where the tile in its middle sees no cells of it, the empty one
// instead.
TESSERA_INLINE void add_neighbour(const TileVisit& v, TileState state, int way, Nine& around) {
  const std::uint32_t seen = v.states->seen_by(state) >> (kTileWays - 1 - way) & 1u;
  around.of[way] = v.states->words(seen ? state : 0);
  around.seen |= seen << way;
}

TESSERA_INLINE Surroundings surroundings(const TileVisit& v, TileId tile) {
  const Tile& t = v.tiles[tile];
  Surroundings s;
  s.own = v.now[tile];
  s.around.of[8] = v.states->words(s.own);
  for (int d = 0; d < kTileWays; d++) {
    add_neighbour(v, v.now[t.next[d]], d, s.around);
  }
  return s;
}

template <bool kLife>
TESSERA_INLINE void visit_one(const TileVisit& v, TileLane& lane, TileId tile,
                              const Surroundings& s, const RuleFunctions& rule) {
  const TileState own = s.own;
  const Nine& around = s.around;
  if (!own && !around.seen) return take(v, lane, tile, 0);

  Window w;
  load_window(around, w);
  step_tile<kLife>(w, v, v.tiles[tile], rule);
  const TileState old = v.after[tile];
#if HWY_TARGET <= HWY_AVX3
  const Difference d = compare(w, v.states->words(old), around.of[8]);
#else
  HWY_ALIGN std::uint64_t words[StateStore::kWords];
  own_words(w, words);
  const Difference d = compare(words, v.states->words(old), around.of[8]);
#endif
  if (!d.any) return;
  if (!d.live) return settle(v, lane, tile, 0, d);
  if (!d.from_now) return settle(v, lane, tile, own, d);
  TileState out = old;
  const bool anew = !v.states->rewritable(old);
  if (anew) out = v.states->make(lane.states);
  std::uint64_t* to = v.states->words(out);
#if HWY_TARGET <= HWY_AVX3
  TESSERA_UNROLL
  for (int j = 0; j < 8; j++) _mm512_mask_storeu_epi64(to + 6 * j - 1, 0x7E, w.v[j][0].raw);
#else
  std::copy_n(words, StateStore::kWords, to);
#endif
  if (anew) {
    v.states->release(old, lane.states);
    v.after[tile] = out;  // made held once
  }
  v.states->written(out, d.seen_by);
  tell(v, lane, tile, d.ways);
}

TESSERA_INLINE void prefetch_state(const std::uint64_t* words) {
  for (int i = 0; i < StateStore::kWords; i += 8) __builtin_prefetch(words + i);
}

// Where tiles are many, what a visit reads is in no cache: the tile first, then the states that it
// and the neighbours which it sees are in, and the one that it may write anew.
template <bool kLife>
void visit_list(const TileVisit& visit, TileLane& lane, const TileId* list, std::size_t count) {
  const TileVisit v = visit;  // nobody else changes it
  const RuleFunctions rule(v.rule);
  constexpr std::size_t kTilesAhead = 8, kStatesAhead = 2;
  constexpr std::size_t kHeld = kStatesAhead + 1;
  Surroundings held[kHeld];
  for (std::size_t i = 0; i < count + kStatesAhead; i++) {
    if (i < count) {
      const std::size_t later = i + kTilesAhead - kStatesAhead;
      if (later < count) __builtin_prefetch(&v.tiles[list[later]]);
      Surroundings& s = held[i % kHeld];
      s = surroundings(v, list[i]);
      prefetch_state(s.around.of[8]);
      prefetch_state(v.states->words(v.after[list[i]]));
      for (std::uint32_t ways = s.around.seen; ways; ways &= ways - 1) {
        prefetch_state(s.around.of[std::countr_zero(ways)]);
      }
    }
    if (i < kStatesAhead) continue;
    const std::size_t due = i - kStatesAhead;
    visit_one<kLife>(v, lane, list[due], held[due % kHeld], rule);
  }
}

}  // namespace

void visit_tiles(const TileVisit& v, TileLane& lane, const TileId* list, std::size_t count) {
  v.rule == kLife ? visit_list<true>(v, lane, list, count)
                  : visit_list<false>(v, lane, list, count);
}

int count_words(const std::uint64_t* words) {
  const Tag d;
  Vec sum = hn::Zero(d);
  for (int i = 0; i < StateStore::kWords; i += kLanes) {
    sum = hn::Add(sum, hn::PopulationCount(hn::LoadU(d, words + i)));
  }
  return static_cast<int>(hn::GetLane(hn::SumOfLanes(d, sum)));
}

TileState peek_tile(const TileVisit& v, TileId tile) {
  const Tile& t = v.tiles[tile];
  Nine around;
  around.of[8] = v.states->words(v.now[tile]);
  for (int d = 0; d < kTileWays; d++) add_neighbour(v, v.now[t.next[d]], d, around);
  Window w;
  load_window(around, w);
  if (all_zero(w)) return 0;
  // A look is rare, and needs no code of its own.
  const RuleFunctions rule(v.rule);
  const WindowMask& mask = t.frame ? v.masks[t.frame] : kWholeWindow;
  if (v.rule == kLife) {
    step_masked<true>(w, v.generations, rule, mask);
  } else {
    step_masked<false>(w, v.generations, rule, mask);
  }
  HWY_ALIGN std::uint64_t words[StateStore::kWords];
  own_words(w, words);
  if (std::all_of(words, words + StateStore::kWords, [](std::uint64_t each) { return each == 0; }))
    return 0;
  if (std::equal(words, words + StateStore::kWords, around.of[8])) {
    v.states->hold(v.now[tile]);
    return v.now[tile];
  }
  const TileState out = v.states->make();
  std::copy_n(words, StateStore::kWords, v.states->words(out));
  return out;
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera {

HWY_EXPORT(visit_tiles);
HWY_EXPORT(peek_tile);
HWY_EXPORT(count_words);

void tile_visit(const TileVisit& visit, TileLane& lane, const TileId* list, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(visit_tiles)(visit, lane, list, count);
}

TileState tile_peek(const TileVisit& visit, TileId tile) {
  return HWY_DYNAMIC_DISPATCH(peek_tile)(visit, tile);
}

int tile_population(const std::uint64_t* words) { return HWY_DYNAMIC_DISPATCH(count_words)(words); }

}  // namespace tessera
#endif
