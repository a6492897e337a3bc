// Tiles that repeat others along the seams of a torus (TileLayout).

#include "core/tiles/tile_plane.h"

namespace tessera {

namespace {

constexpr std::uint64_t low_bits(int n) { return (std::uint64_t{1} << n) - 1; }

}  // namespace

std::uint32_t TilePlane::ways_that_see(const TileRows& rows) {
  constexpr std::uint64_t kLeft = low_bits(kTileMargin);
  constexpr std::uint64_t kRight = kLeft << (kTileSide - kTileMargin);
  std::uint64_t top = 0, bottom = 0, all = 0;
  for (int r = 0; r < kTileSide; r++) {
    all |= rows[r];
    if (r < kTileMargin) top |= rows[r];
    if (r >= kTileSide - kTileMargin) bottom |= rows[r];
  }
  const std::uint64_t seen[kTileWays] = {
      top & kLeft,    top,    top & kRight,   all & kLeft, all & kRight,
      bottom & kLeft, bottom, bottom & kRight};
  std::uint32_t ways = 0;
  for (int d = 0; d < kTileWays; d++) ways |= seen[d] ? 1u << d : 0u;
  return ways;
}

// The cells of a copy, from what its tiles hold in a slot.
TileRows TilePlane::repeated(const Cell& copy, const TileState* states) const {
  TileRows rows{};
  for (const TileLayout::Part& part : table_.layout().parts(copy)) {
    const TileState state = states[table_.find(part.tile.x, part.tile.y)];
    if (!state) continue;
    TileRows from;
    store_->get(state, from);
    const std::uint64_t columns = low_bits(static_cast<int>(part.size.x));
    for (std::int64_t r = 0; r < part.size.y; r++) {
      const std::uint64_t bits = from[static_cast<std::size_t>(part.from.y + r)] >> part.from.x;
      rows[static_cast<std::size_t>(part.to.y + r)] |= (bits & columns) << part.to.x;
    }
  }
  return rows;
}

// Makes a copy anew in a slot, and puts those on a worklist that see it change.
void TilePlane::renew_copy(const Cell& at, int slot, TileWork& work) {
  const TileRows rows = repeated(at, table_.slot(slot));
  TileId tile = table_.find(at.x, at.y);
  const TileState old = table_.slot(slot)[tile];
  TileRows changed{};
  if (old) store_->get(old, changed);
  if (rows == changed) return;
  for (int r = 0; r < kTileSide; r++) changed[r] ^= rows[r];
  if (!tile) tile = table_.make(at.x, at.y);
  // What does not change keeps its state from slot to slot, as pools see to it for all others.
  TileState& state = table_.slot(slot)[tile];
  const TileState present = table_.slot(this->slot())[tile];
  TileRows now{};
  if (present) store_->get(present, now);
  if (present && now == rows) {
    store_->hold(present);
    state = present;
  } else {
    state = store_->put(rows);
  }
  store_->release(old);
  for (std::uint32_t ways = ways_that_see(changed), d = 0; ways; ways >>= 1, d++) {
    if (ways & 1) wake(work, {at.x + kWayX[d], at.y + kWayY[d]});
  }
}

// After a visit: copies are taken off the worklist, and those of tiles that changed made anew.
void TilePlane::renew_copies(int slot, TileWork& work) {
  changed_.clear();
  std::size_t kept = 0;
  for (const TileId tile : work.list) {
    if (table_[tile].copy) {
      table_[tile].queued = 0;
      continue;
    }
    work.list[kept++] = tile;
    if (table_[tile].copied) changed_.push_back(tile);
  }
  work.list.resize(kept);
  for (const TileId tile : changed_) {
    for (const Cell& copy : table_.layout().copies_of({table_[tile].x, table_[tile].y})) {
      const TileId known = table_.find(copy.x, copy.y);
      if (known && table_[known].queued == work.stamp) continue;  // made anew already
      renew_copy(copy, slot, work);
      if (const TileId made = table_.find(copy.x, copy.y)) table_[made].queued = work.stamp;
    }
  }
}

}  // namespace tessera
