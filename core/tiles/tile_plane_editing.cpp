#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

#include "core/tiles/tile_cut.h"
#include "core/tiles/tile_plane.h"

namespace tessera {

// The live cells of a tile in slot(); tile 0 has none.
TileRows TilePlane::rows_of(TileId tile) {
  if (device_) return device_->rows(slot(), tile);
  TileRows rows{};
  if (const TileState state = table_.slot(slot())[tile]) store_->get(state, rows);
  return rows;
}

// All of its cells there.
void TilePlane::cells_of(TileId tile, std::span<TileRows> planes) {
  if (device_) {
    device_->cells(slot(), tile, planes);
    return;
  }
  if (planes_ == 1) {
    planes.front() = rows_of(tile);
    return;
  }
  for (TileRows& plane : planes) plane = {};
  if (const TileState state = table_.slot(slot())[tile]) store_->get_planes(state, planes);
}

// False where a tile has no cells in slot(), as far as that is known without asking a device.
bool TilePlane::may_live(TileId tile) const {
  return device_ ? !device_->is_empty(slot(), tile) : table_.slot(slot())[tile] != 0;
}

// Puts other cells into a tile's present state.
void TilePlane::replace(TileId tile, std::span<const TileRows> planes) {
  if (device_) {
    touched(tile);  // at first, so that a device without room for it has both for another try
    device_->draw(slot(), tile, planes);
    return;
  }
  Planes scratch;
  const std::span<TileRows> before = in_use(scratch);
  cells_of(tile, before);
  TileState& state = table_.slot(slot())[tile];
  store_->release(std::exchange(state, 0));
  state = store_->put_planes(planes);
  sum_again(tile);
  touched(tile, ways_that_see(difference(planes, before)));
}

// Tiles whose cells are wanted soon, so that a device need not be asked for each.
void TilePlane::fetch(std::vector<TileId> tiles) {
  if (!device_) return;
  std::ranges::sort(tiles);
  tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
  device_->fetch(slot(), tiles);
}

std::int64_t TilePlane::bytes_per_tile() const {
  // Its state, and places for it and some of its neighbours.
  return device_ ? 3 * device_->bytes_per_tile()
                 : store_->bytes_per_state() + 3 * table_.bytes_per_tile();
}

std::int64_t TilePlane::bytes_for(const Cell& at, const CellGrid& cells) const {
  const std::int64_t left = floor_div(at.x, kTileSide), top = floor_div(at.y, kTileSide);
  const std::int64_t right = floor_div(at.x + cells.width() - 1, kTileSide);
  // A state for each live tile, and places in the table for them and their neighbours.
  const std::int64_t rows = ceil_div(cells.height(), kTileSide) + 3;
  const auto most = static_cast<double>(right - left + 3) * static_cast<double>(rows);
  const auto bytes = [&](std::int64_t tiles) {
    const std::int64_t places =
        most < 9.0 * static_cast<double>(tiles) ? static_cast<std::int64_t>(most) : 9 * tiles;
    if (device_) return places * device_->bytes_per_tile();
    return tiles * store_->bytes_per_state() + places * table_.bytes_per_tile();
  };
  // Where all of them may live there is nothing to count.
  constexpr double kCountable = 1 << 30;
  if (most < kCountable) {
    const std::int64_t all = bytes(static_cast<std::int64_t>(most));
    if (all <= limit() - this->bytes()) return all;
  }
  std::int64_t tiles = 0;
  std::vector<bool> live;
  for (std::int64_t y = 0, row = top; y < cells.height(); row++) {
    live.assign(static_cast<std::size_t>(right - left + 1), false);
    const std::int64_t end = std::min(cells.height(), (row + 1) * kTileSide - at.y);
    for (; y < end; y++) {
      for (std::int64_t word = 0; word < cells.plane(0).words_per_row(); word++) {
        bool any = false;
        for (int p = 0; p < cells.planes(); p++) any |= cells.plane(p).row(y)[word] != 0;
        if (!any) continue;
        const std::int64_t first = floor_div(at.x + word * 64, kTileSide) - left;
        const std::int64_t last =
            floor_div(at.x + std::min(word * 64 + 63, cells.width() - 1), kTileSide) - left;
        for (std::int64_t x = first; x <= last; x++) live[static_cast<std::size_t>(x)] = true;
      }
    }
    tiles += std::ranges::count(live, true);
  }
  return bytes(tiles);
}

// The present generation into a slot, and all gliders onto the plane.
void TilePlane::prepare_edit() {
  if (ahead_) restart(schedule_);
  if (departures_.away()) {
    const std::vector<Glider> all = departures_.at(generation_);
    departures_.clear();
    return_gliders(all);
  }
  if (gliders_leave_) gliders_due_ = generation_;
}

void TilePlane::edit(const Cell& at, const CellGrid& cells) {
  prepare_edit();
  for (const Cell& by : table_.layout().repetitions({at.x, at.y, cells.width(), cells.height()})) {
    draw({at.x + by.x, at.y + by.y}, cells, false);
  }
}

// Replaces the cells of a rectangle where it lies in tiles that are stepped; if `keep`, only those
// for which there are live ones.
void TilePlane::draw(const Cell& at, const CellGrid& cells, bool keep) {
  const std::int64_t left = floor_div(at.x, kTileSide), top = floor_div(at.y, kTileSide);
  std::int64_t right = floor_div(at.x + cells.width() - 1, kTileSide);
  std::int64_t bottom = floor_div(at.y + cells.height() - 1, kTileSide);
  if (table_.layout().bounded()) {
    const Rect all = table_.layout().tiles();
    right = std::min(right, all.width - 1);
    bottom = std::min(bottom, all.height - 1);
  }
  constexpr std::int64_t kMost = 4096;  // tiles side by side: a long row takes little memory
  for (std::int64_t x = left; x <= right; x += kMost) {
    const Rect tiles{x, top, std::min(kMost, right - x + 1), bottom - top + 1};
    draw_tiles(tiles, at, cells, keep);
  }
}

// Does that in some of those tiles.
void TilePlane::draw_tiles(const Rect& tiles, const Cell& at, const CellGrid& cells, bool keep) {
  TileCut cut(cells, tiles.x * kTileSide - at.x, tiles.width, planes_);
  Planes scratch;
  const std::span<TileRows> before = in_use(scratch);
  std::vector<TileId> there, known;
  const std::int64_t right = tiles.x + tiles.width - 1;
  for (std::int64_t y = tiles.y; y < tiles.y + tiles.height; y++) {
    cut.cut(y * kTileSide - at.y);
    table_.find_row(tiles.x, right, y, there);
    known.clear();
    std::ranges::copy_if(there, std::back_inserter(known),
                         [this](TileId tile) { return may_live(tile); });
    fetch(known);
    for (std::size_t i = 0; i < there.size(); i++) {
      TileId tile = there[i];
      if (may_live(tile)) {
        cells_of(tile, before);
        cut.complete(i, before, keep);
        if (std::ranges::equal(cut.tile(i), before)) continue;
      } else if (cut.empty(i)) {
        continue;
      }
      if (!tile) tile = table_.make(tiles.x + static_cast<std::int64_t>(i), y);
      replace(tile, cut.tile(i));
    }
  }
}

void TilePlane::add(const std::vector<PlacedTile>& tiles) {
  prepare_edit();
  const TileLayout& layout = table_.layout();
  std::vector<TileId> known;
  for (const PlacedTile& added : tiles) {
    if (const TileId tile = table_.find(added.at.x, added.at.y)) known.push_back(tile);
  }
  fetch(known);
  for (const PlacedTile& added : tiles) {
    const Cell at{added.at.x * kTileSide, added.at.y * kTileSide};
    CellGrid cells(kTileSide, kTileSide, std::max(1, static_cast<int>(added.planes.size())));
    for (int p = 0; p < cells.planes(); p++) {
      const TileRows& rows = added.planes.empty() ? added.rows : added.planes[p];
      for (int r = 0; r < kTileSide; r++) *cells.plane(p).row(r) = rows[r];
    }
    for (const Cell& by : layout.repetitions({at.x, at.y, kTileSide, kTileSide})) {
      draw({at.x + by.x, at.y + by.y}, cells, true);
    }
  }
}

}  // namespace tessera
