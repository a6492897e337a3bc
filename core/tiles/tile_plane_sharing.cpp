// Equal states of tiles that nobody steps share memory.

#include <algorithm>
#include <utility>
#include <vector>

#include "core/tiles/tile_plane.h"

namespace tessera {

// What a ring makes free has all of its states in memory. A stream of gliders has the same ones in
// many tiles: 48 cells further on along a diagonal it is what it was 192 generations ago. So now
// and then, when states take a quarter more memory, those of tiles at rest are compared. Where few
// are equal the next look comes later.
void TilePlane::share_equal() {
  constexpr std::size_t kKnown = 1 << 14;
  std::vector<TileState> known(kKnown);  // by fingerprint; the latest of those at one place
  std::int64_t looked = 0, equal = 0;
  Planes scratch, second;
  const std::span<TileRows> cells = in_use(scratch), others = in_use(second);
  const auto known_equal = [&](TileState state) {
    store_->get_planes(state, cells);
    TileState& there = known[fingerprint(cells) % kKnown];
    looked++;
    if (there && there != state) {
      store_->get_planes(there, others);
      if (std::ranges::equal(cells, others)) {
        equal++;
        return there;
      }
    }
    return there = state;
  };
  for (TileId tile = 1; tile < table_.end(); tile++) {
    if (!table_[tile].used || table_[tile].queued == work_.stamp || still(tile)) continue;
    TileState before = 0, instead = 0;  // of the slot before
    for (int k = 0; k < schedule_.slots(); k++) {
      TileState& state = table_.slot(k)[tile];
      if (!state) continue;
      if (state != before) instead = known_equal(before = state);
      if (state == instead) continue;
      store_->hold(instead);
      store_->release(std::exchange(state, instead));
    }
  }
  const std::int64_t now = store_->bytes();
  if (share_from_ > 0) share_due_ = 4 * equal < looked ? 2 * now : now + now / 4;
}

}  // namespace tessera
