// Tiles that repeat others along the seams of a torus (TileLayout).

#include <algorithm>
#include <utility>

#include "core/tiles/tile_plane.h"

namespace tessera {

namespace {

constexpr std::uint64_t low_bits(int n) { return (std::uint64_t{1} << n) - 1; }

}  // namespace

// The cells of a copy, from what its tiles hold in a slot, and who sees that they are others there.
void TilePlane::repeat(Renewal& copy, int slot, std::span<TileRows> cells) const {
  const TileState* const states = table_.slot(slot);
  for (TileRows& plane : cells) plane = {};
  Planes scratch;
  const std::span<TileRows> known = in_use(scratch);
  table_.layout().for_each_part(copy.at, [&](const TileLayout::Part& part) {
    const TileState state = states[table_.find(part.tile.x, part.tile.y)];
    if (!state) return;
    const auto from = static_cast<int>(part.from.y), size = static_cast<int>(part.size.y);
    if (planes_ == 1) {
      store_->get_rows(state, from, from + size, known[0]);
    } else {
      store_->get_planes(state, known);
    }
    const std::uint64_t columns = low_bits(static_cast<int>(part.size.x));
    for (std::size_t p = 0; p < cells.size(); p++) {
      for (int r = 0; r < size; r++) {
        const std::uint64_t bits = known[p][static_cast<std::size_t>(from + r)] >> part.from.x;
        cells[p][static_cast<std::size_t>(part.to.y + r)] |= (bits & columns) << part.to.x;
      }
    }
  });
  for (TileRows& plane : known) plane = {};
  if (const TileState old = states[copy.tile]) store_->get_planes(old, known);
  const TileRows differs = difference(known, cells);
  copy.changed = std::ranges::any_of(differs, [](std::uint64_t row) { return row != 0; });
  if (copy.changed) copy.ways = ways_that_see(differs);
}

// Puts what a copy has become into a slot, and those on a worklist that see it change.
void TilePlane::renew(const Renewal& copy, int slot, std::span<const TileRows> cells,
                      TileWork& work) {
  if (!copy.changed) return;
  const TileId tile = copy.tile ? copy.tile : table_.make(copy.at.x, copy.at.y);
  // What does not change keeps its state from slot to slot, as pools see to it for all others.
  TileState& state = table_.slot(slot)[tile];
  const TileState present = table_.slot(this->slot())[tile];
  const TileState old = state;
  Planes scratch;
  const std::span<TileRows> now = in_use(scratch);
  if (present) store_->get_planes(present, now);
  if (present && std::ranges::equal(now, cells)) {
    store_->hold(present);
    state = present;
  } else {
    state = store_->put_planes(cells);
  }
  store_->release(old);
  wake_beside(work, tile, copy.ways);
}

// Makes a copy anew in the present slot.
void TilePlane::renew_copy(const Cell& at) {
  Renewal copy{at, table_.find(at.x, at.y)};
  Planes scratch;
  const std::span<TileRows> cells = in_use(scratch);
  repeat(copy, slot(), cells);
  renew(copy, slot(), cells, work_);
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
  const auto planes = static_cast<std::size_t>(planes_);
  renewed_.resize(renewals_.size() * planes);
  const auto cells = [&](std::size_t i) { return std::span(renewed_).subspan(i * planes, planes); };
  // Who has shared the visits is still awake.
  const int parts = pool_->parts(work.list.size());
  const auto count = static_cast<std::size_t>(parts);
  pool_->share(parts, [&](int part) {
    const auto which = static_cast<std::size_t>(part);
    const std::size_t end = renewals_.size() * (which + 1) / count;
    for (std::size_t i = renewals_.size() * which / count; i < end; i++) {
      repeat(renewals_[i], slot, cells(i));
    }
  });
  for (std::size_t i = 0; i < renewals_.size(); i++) renew(renewals_[i], slot, cells(i), work);
}

}  // namespace tessera
