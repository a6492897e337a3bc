#include <algorithm>
#include <array>
#include <bit>

#include "core/tiles/tile_plane.h"

namespace tessera {

namespace {

constexpr std::int64_t kGliderTiles = 4;  // at most

// Bits of a tile's row as cells of a grid's row from column x on.
void add_bits(BitGrid& grid, std::int64_t x, std::int64_t y, std::uint64_t bits) {
  if (!bits) return;
  std::uint64_t* row = grid.row(y);
  const std::int64_t word = x / 64;
  const int shift = static_cast<int>(x % 64);
  row[word] |= bits << shift;
  if (shift > 0 && bits >> (64 - shift)) row[word + 1] |= bits >> (64 - shift);
}

// Counts the cells of a tile that lie in the rectangle by pixels.
template <class Count>
void add_rows(const Cell& place, const TileRows& rows, const Rect& rect, std::int64_t scale,
              PixelRows<Count>& counts) {
  for (int r = 0; r < kTileSide; r++) {
    const std::int64_t y = place.y * kTileSide + r - rect.y;
    if (y < 0 || y >= rect.height) continue;
    for (std::uint64_t row = rows[static_cast<std::size_t>(r)]; row;) {
      const int bit = std::countr_zero(row);
      const std::int64_t x = place.x * kTileSide + bit - rect.x;
      if (x >= rect.width) break;
      // All cells of this row that lie in the same pixel.
      const std::int64_t next = x < 0 ? 0 : std::min((x / scale + 1) * scale, rect.width);
      const std::int64_t ends = std::min<std::int64_t>(kTileSide, bit + next - x);
      const std::uint64_t here = ends >= 64 ? row : row & ((std::uint64_t{1} << ends) - 1);
      if (x >= 0) {
        Count& count = counts.row(y / scale)[x / scale];
        count = static_cast<Count>(count + static_cast<Count>(std::popcount(here)));
      }
      row &= ~here;
    }
  }
}

}  // namespace

TilePlane::Overlay TilePlane::overlay() const {
  Overlay out;
  for (const Glider& glider : departures_.at(generation())) {
    for_each_cell(glider, [&](const Cell& at) {
      TileRows& rows = out[{floor_div(at.y, kTileSide), floor_div(at.x, kTileSide)}];
      rows[static_cast<std::size_t>(floor_mod(at.y, kTileSide))] |= std::uint64_t{1}
                                                                    << floor_mod(at.x, kTileSide);
    });
  }
  return out;
}

// All cells of the tile at a place; false when there are none.
bool TilePlane::rows_at(std::int64_t x, std::int64_t y, const Overlay& overlay,
                        TileRows& rows) const {
  const TileState state = present()[table_.find(x, y)];
  if (state) {
    store_->get(state, rows);
    table_.layout().clip({x, y}, rows);
  }
  const auto away = overlay.find({y, x});
  if (away == overlay.end()) return state != 0;
  if (!state) {
    rows = away->second;
  } else {
    for (int r = 0; r < kTileSide; r++) rows[r] |= away->second[r];
  }
  return true;
}

// The same with their states.
bool TilePlane::cells_at(const Cell& at, const Overlay& overlay, std::span<TileRows> planes) const {
  if (planes_ == 1) return rows_at(at.x, at.y, overlay, planes.front());
  const TileState state = present()[table_.find(at.x, at.y)];
  if (!state) return false;
  store_->get_planes(state, planes);
  for (TileRows& plane : planes) table_.layout().clip(at, plane);
  return true;
}

// Whether a tile in that state has live cells of the universe, which those that repeat others are
// not.
bool TilePlane::lives(TileId tile, TileState state) const {
  if (!state || table_[tile].copy) return false;
  const Cell at{table_[tile].x, table_[tile].y};
  if (table_.layout().whole(at)) return true;
  TileRows rows;
  store_->get(state, rows);
  table_.layout().clip(at, rows);
  return std::ranges::any_of(rows, [](std::uint64_t row) { return row != 0; });
}

// Tiles with live cells, in the order of rows and then columns.
std::vector<Cell> TilePlane::places(const Overlay& overlay) const {
  std::vector<Cell> out;
  const TileState* states = present();
  for (TileId tile = 1; tile < table_.end(); tile++) {
    if (lives(tile, states[tile])) out.push_back({table_[tile].x, table_[tile].y});
  }
  for (const auto& [place, rows] : overlay) {
    if (!states[table_.find(place.second, place.first)]) out.push_back({place.second, place.first});
  }
  std::ranges::sort(
      out, [](const Cell& a, const Cell& b) { return a.y != b.y ? a.y < b.y : a.x < b.x; });
  return out;
}

std::vector<Cell> TilePlane::places_within(const Rect& rect, const Overlay& overlay) const {
  const TileLayout& layout = table_.layout();
  const Rect part = layout.bounded() ? rect.common(layout.cells()) : rect;
  std::vector<Cell> out;
  if (part.empty()) return out;
  const std::int64_t left = floor_div(part.x, kTileSide), top = floor_div(part.y, kTileSide);
  const std::int64_t right = floor_div(part.x + part.width - 1, kTileSide);
  const std::int64_t bottom = floor_div(part.y + part.height - 1, kTileSide);
  const auto columns = static_cast<double>(right - left + 1);
  const auto rows = static_cast<double>(bottom - top + 1);
  if (columns * rows > static_cast<double>(table_.count()) + static_cast<double>(overlay.size())) {
    out = places(overlay);
    std::erase_if(out, [&](const Cell& at) {
      return at.x < left || at.x > right || at.y < top || at.y > bottom;
    });
    return out;
  }
  for (std::int64_t y = top; y <= bottom; y++) {
    for (std::int64_t x = left; x <= right; x++) {
      const TileId tile = table_.find(x, y);
      if (lives(tile, present()[tile]) || overlay.contains({y, x})) out.push_back({x, y});
    }
  }
  return out;
}

std::int64_t TilePlane::live_tiles() {
  settle();
  std::int64_t live = kGliderTiles * departures_.away();
  if (device_) {
    const std::vector<TileFacts>& facts = device_->facts(present_slot(), false);
    for (TileId tile = 1; tile < table_.end(); tile++) {
      if (facts[tile].population() > 0 && !table_[tile].copy) live++;
    }
    return live;
  }
  const TileState* states = present();
  for (TileId tile = 1; tile < table_.end(); tile++) {
    if (lives(tile, states[tile])) live++;
  }
  return live;
}

BitGrid TilePlane::read(const Rect& rect) {
  BitGrid live(rect.width, rect.height);
  BitGrid* const grid = &live;
  read_planes(rect, {&grid, 1});
  return live;
}

CellGrid TilePlane::read_states(const Rect& rect) {
  if (planes_ == 1) return read(rect);
  CellGrid out(rect.width, rect.height, planes_);
  std::array<BitGrid*, kMostTilePlanes> grids{};
  for (int p = 0; p < planes_; p++) grids[p] = &out.plane(p);
  read_planes(rect, std::span(grids).first(static_cast<std::size_t>(planes_)));
  return out;
}

// The cells of a rectangle in all planes; in one alone the live ones.
void TilePlane::read_planes(const Rect& rect, std::span<BitGrid* const> grids) {
  see();
  const Overlay away = overlay();
  Planes planes;
  for (const Cell& place : places_within(rect, away)) {
    const bool live = grids.size() == 1 ? rows_at(place.x, place.y, away, planes[0])
                                        : cells_at(place, away, in_use(planes));
    if (!live) continue;
    const std::int64_t x = place.x * kTileSide - rect.x, y = place.y * kTileSide - rect.y;
    const std::int64_t first = std::max<std::int64_t>(0, -y);
    const std::int64_t last = std::min<std::int64_t>(kTileSide, rect.height - y);
    const int cut_left = static_cast<int>(std::max<std::int64_t>(0, -x));
    const std::int64_t wide = std::min<std::int64_t>(kTileSide, rect.width - x);
    const std::uint64_t kept = wide >= kTileSide ? kWholeTileRow : (std::uint64_t{1} << wide) - 1;
    for (std::size_t p = 0; p < grids.size(); p++) {
      for (std::int64_t r = first; r < last; r++) {
        const std::uint64_t row = planes[p][static_cast<std::size_t>(r)];
        add_bits(*grids[p], x + cut_left, y + r, (row & kept) >> cut_left);
      }
    }
  }
}

std::vector<Rect> TilePlane::runs(const Rect& rect) {
  // A run is no longer than a piece of some kilobytes.
  constexpr std::int64_t kMostTiles = 256;
  see();
  std::vector<Rect> out;
  Cell next{};
  for (const Cell& place : places_within(rect, overlay())) {
    const std::int64_t left = std::max(place.x * kTileSide, rect.x);
    const std::int64_t right = std::min((place.x + 1) * kTileSide, rect.x + rect.width);
    if (!out.empty() && place == next && out.back().width < kMostTiles * kTileSide) {
      out.back().width += right - left;
    } else {
      const std::int64_t top = std::max(place.y * kTileSide, rect.y);
      const std::int64_t bottom = std::min((place.y + 1) * kTileSide, rect.y + rect.height);
      out.push_back({left, top, right - left, bottom - top});
    }
    next = {place.x + 1, place.y};
  }
  return out;
}

void TilePlane::count(const Rect& rect, std::int64_t scale, CellCounts& counts) {
  if (device_ && count_on_device(rect, scale, counts)) return;
  count_seen(rect, scale, counts);
}

void TilePlane::count_in_bytes(const Rect& rect, std::int64_t scale,
                               PixelRows<std::uint8_t>& counts) {
  count_seen(rect, scale, counts);
}

template <class Count>
void TilePlane::count_seen(const Rect& rect, std::int64_t scale, PixelRows<Count>& counts) {
  see();
  counts.resize(ceil_div(rect.width, scale), ceil_div(rect.height, scale));
  const Overlay away = overlay();
  for (const Cell& place : places_within(rect, away)) {
    const std::optional<Cell> pixel = pixel_of(place, rect, scale);
    if (pixel && !away.contains({place.y, place.x})) {
      Count& count = counts.row(pixel->y)[pixel->x];
      count = static_cast<Count>(
          count + static_cast<Count>(store_->population(present()[table_.find(place.x, place.y)])));
      continue;
    }
    TileRows rows;
    if (rows_at(place.x, place.y, away, rows)) add_rows(place, rows, rect, scale, counts);
  }
}

// The pixel that holds a whole tile, if one does.
std::optional<Cell> TilePlane::pixel_of(const Cell& place, const Rect& rect,
                                        std::int64_t scale) const {
  const Rect tile{place.x * kTileSide, place.y * kTileSide, kTileSide, kTileSide};
  const Cell pixel{floor_div(tile.x - rect.x, scale), floor_div(tile.y - rect.y, scale)};
  const bool whole = rect.contains(tile) && (tile.x + kTileSide - 1 - rect.x) / scale == pixel.x &&
                     (tile.y + kTileSide - 1 - rect.y) / scale == pixel.y &&
                     table_.layout().whole(place);
  return whole ? std::optional(pixel) : std::nullopt;
}

// The same on a device, of which only the tiles come home that are in sight and no part of a pixel;
// false where those are many: then it is better to remember what has come home.
bool TilePlane::count_on_device(const Rect& rect, std::int64_t scale, CellCounts& counts) {
  constexpr std::size_t kMany = 4096;
  settle();
  counts.resize(ceil_div(rect.width, scale), ceil_div(rect.height, scale));
  Overlay away = overlay();
  std::vector<TileId> wanted;
  const std::vector<TileFacts>& facts = device_->facts(present_slot(), false);
  for (TileId tile = 1; tile < table_.end(); tile++) {
    if (facts[tile].population() == 0 || table_[tile].copy) continue;
    const Cell at{table_[tile].x, table_[tile].y};
    const Rect cells{at.x * kTileSide, at.y * kTileSide, kTileSide, kTileSide};
    if (rect.common(cells).empty()) continue;
    const std::optional<Cell> pixel = pixel_of(at, rect, scale);
    if (pixel && !away.contains({at.y, at.x})) {
      counts.row(pixel->y)[pixel->x] += static_cast<std::uint64_t>(facts[tile].population());
    } else {
      wanted.push_back(tile);
    }
    if (wanted.size() > kMany) return false;
  }
  device_->fetch(present_slot(), wanted);
  for (const TileId tile : wanted) {
    const Cell at{table_[tile].x, table_[tile].y};
    TileRows rows = device_->rows(present_slot(), tile);
    table_.layout().clip(at, rows);
    if (const auto gliders = away.find({at.y, at.x}); gliders != away.end()) {
      for (int r = 0; r < kTileSide; r++) rows[r] |= gliders->second[r];
      away.erase(gliders);
    }
    add_rows(at, rows, rect, scale, counts);
  }
  for (const auto& [place, rows] : away) {
    add_rows({place.second, place.first}, rows, rect, scale, counts);
  }
  return true;
}

}  // namespace tessera
