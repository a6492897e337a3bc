// Tiles that repeat others along the seams of a torus (TileLayout).

#include <utility>

#include "core/tiles/tile_plane.h"

namespace tessera {

namespace {

constexpr std::uint64_t low_bits(int n) { return (std::uint64_t{1} << n) - 1; }

}  // namespace

// The cells of a copy, from what its tiles hold in a slot, and who sees that they are others there.
void TilePlane::repeat(Renewal& copy, int slot) const {
  const TileState* const states = table_.slot(slot);
  copy.rows = {};
  TileRows known;
  table_.layout().for_each_part(copy.at, [&](const TileLayout::Part& part) {
    const TileState state = states[table_.find(part.tile.x, part.tile.y)];
    if (!state) return;
    const auto from = static_cast<int>(part.from.y), size = static_cast<int>(part.size.y);
    store_->get_rows(state, from, from + size, known);
    const std::uint64_t columns = low_bits(static_cast<int>(part.size.x));
    for (int r = 0; r < size; r++) {
      const std::uint64_t bits = known[static_cast<std::size_t>(from + r)] >> part.from.x;
      copy.rows[static_cast<std::size_t>(part.to.y + r)] |= (bits & columns) << part.to.x;
    }
  });
  known = {};
  if (const TileState old = states[copy.tile]) store_->get(old, known);
  copy.changed = known != copy.rows;
  if (!copy.changed) return;
  for (int r = 0; r < kTileSide; r++) known[r] ^= copy.rows[r];
  copy.ways = ways_that_see(known);
}

// Puts what a copy has become into a slot, and those on a worklist that see it change.
void TilePlane::renew(const Renewal& copy, int slot, TileWork& work) {
  if (!copy.changed) return;
  const TileId tile = copy.tile ? copy.tile : table_.make(copy.at.x, copy.at.y);
  // What does not change keeps its state from slot to slot, as pools see to it for all others.
  TileState& state = table_.slot(slot)[tile];
  const TileState present = table_.slot(this->slot())[tile];
  const TileState old = state;
  TileRows now{};
  if (present) store_->get(present, now);
  if (present && now == copy.rows) {
    store_->hold(present);
    state = present;
  } else {
    state = store_->put(copy.rows);
  }
  store_->release(old);
  wake_beside(work, tile, copy.ways);
}

// Makes a copy anew in the present slot.
void TilePlane::renew_copy(const Cell& at) {
  Renewal copy{at, table_.find(at.x, at.y)};
  repeat(copy, slot());
  renew(copy, slot(), work_);
}

// After a visit: the copies of tiles that changed are made anew.
void TilePlane::renew_copies(int slot, TileWork& work) {
  renewals_.clear();
  for (const TileId tile : work.copied) {
    table_.layout().for_each_copy({table_[tile].x, table_[tile].y}, [&](const Cell& at) {
      const TileId copy = table_.find(at.x, at.y);
      // Another tile of it may have changed. Nobody else puts copies on a worklist.
      if (copy && std::exchange(table_[copy].queued, work.stamp) == work.stamp) return;
      renewals_.push_back({at, copy});
    });
  }
  // Who has shared the visits is still awake.
  const int parts = pool_->parts(work.list.size());
  const auto count = static_cast<std::size_t>(parts);
  pool_->share(parts, [&](int part) {
    const auto which = static_cast<std::size_t>(part);
    const std::size_t end = renewals_.size() * (which + 1) / count;
    for (std::size_t i = renewals_.size() * which / count; i < end; i++) {
      repeat(renewals_[i], slot);
    }
  });
  for (const Renewal& copy : renewals_) renew(copy, slot, work);
}

}  // namespace tessera
