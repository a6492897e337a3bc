#include "core/tiles/tile_table.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <stdexcept>

#include "core/cells/soup.h"

namespace tessera {

namespace {

constexpr std::size_t kFirstPlaces = 1 << 10;

// Eight tiles side by side stand in a cache line, where their tags differ, too.
std::uint64_t key_hash(std::int64_t x, std::int64_t y) {
  constexpr std::uint64_t kInLine = 7, kAlike = ~(kInLine << 32 | kInLine);
  const std::uint64_t in_line = static_cast<std::uint64_t>(x) & kInLine;
  const std::uint64_t line = mix64(static_cast<std::uint64_t>(x >> 3) * 0x9E3779B97F4A7C15u ^
                                   static_cast<std::uint64_t>(y));
  return (line & kAlike) | in_line << 32 | in_line;
}

// Beside before across: whoever is beside a tile has most of its neighbours, too.
constexpr std::array<int, kTileWays> kBesideFirst{3, 1, 4, 6, 0, 2, 5, 7};

// The way that leads (x, y) tiles on, each -1 to 1.
constexpr int way_of(int x, int y) {
  const int all = 3 * (y + 1) + x + 1;
  return all > 4 ? all - 1 : all;
}

// Bits that no table is large enough to use for places.
std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

}  // namespace

TileTable::TileTable(int slots, const TileLayout& layout) : layout_(layout) { clear(slots); }

void TileTable::clear(int slots) {
  tiles_.assign(1, Tile{});
  free_.clear();
  places_.assign(kFirstPlaces, {});
  count_ = 0;
  set_slots(slots);
}

void TileTable::set_slots(int slots) {
  ring_.assign(static_cast<std::size_t>(slots), std::vector<TileState>(tiles_.size(), 0));
}

// The place in places_ where the tile at (x, y) stands, or would.
std::size_t TileTable::place_of(std::int64_t x, std::int64_t y, std::uint64_t hash) const {
  const std::size_t mask = places_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Place& place = places_[at];
    if (!place.tile) return at;
    if (place.tag != tag_of(hash)) continue;
    const Tile& there = tiles_[place.tile];
    if (there.x == x && there.y == y) return at;
  }
}

TileId TileTable::find(std::int64_t x, std::int64_t y) const {
  const Cell home = layout_.home({x, y});
  return places_[place_of(home.x, home.y, key_hash(home.x, home.y))].tile;
}

void TileTable::find_row(std::int64_t left, std::int64_t right, std::int64_t y,
                         std::vector<TileId>& tiles) const {
  constexpr int kEast = way_of(1, 0);
  tiles.clear();
  TileId last = 0;
  for (std::int64_t x = left; x <= right; x++) {
    last = last ? tiles_[last].next[kEast] : find(x, y);  // whoever is there knows its neighbour
    tiles.push_back(last);
  }
}

void TileTable::put(TileId tile) {
  const std::int64_t x = tiles_[tile].x, y = tiles_[tile].y;
  const std::uint64_t hash = key_hash(x, y);
  places_[place_of(x, y, hash)] = {tile, tag_of(hash)};
}

// Memory for one more tile, and places of which half stay free; whether tiles stand in other ones
// now.
bool TileTable::make_room() {
  if (tiles_.size() < tiles_.capacity()) return make_places(static_cast<std::size_t>(count_) + 1);
  // Where a good part of a bounded universe is there, all of it may be soon.
  constexpr std::size_t kPart = 4;
  const std::size_t whole = whole_layout();
  const bool all = tiles_.size() < whole && whole <= kPart * tiles_.size();
  return reserve(all ? whole : 2 * tiles_.size());
}

// Memory and places for so many tiles.
bool TileTable::reserve(std::size_t tiles) {
  tiles_.reserve(tiles);
  for (std::vector<TileState>& states : ring_) states.reserve(tiles);
  return make_places(tiles);
}

bool TileTable::make_places(std::size_t tiles) {
  const std::size_t places = std::bit_ceil(2 * tiles);
  if (places <= places_.size()) return false;
  places_.assign(places, {});
  for (TileId each = 1; each < end(); each++) {
    if (tiles_[each].used) put(each);
  }
  return true;
}

// Tiles of a bounded universe with all copies, and tile 0; 0 where they are too many.
std::size_t TileTable::whole_layout() const {
  constexpr std::int64_t kMost = 1 << 30, kMostSide = 1 << 20;
  const Rect all = layout_.tiles();
  if (!layout_.bounded() || all.width > kMostSide || all.height > kMost / all.width) return 0;
  return static_cast<std::size_t>((all.width + 2) * (all.height + 2) + 1);
}

// A tile that is in no place and has no neighbours yet.
TileId TileTable::add(const Cell& home) {
  TileId tile;
  if (!free_.empty()) {
    tile = free_.back();
    free_.pop_back();
  } else {
    if (tiles_.size() >= 0xFFFFFFFFu) throw std::length_error("more than 2^32 tiles");
    tile = static_cast<TileId>(tiles_.size());
    tiles_.emplace_back();
    for (std::vector<TileState>& states : ring_) states.push_back(0);
  }
  Tile& made = tiles_[tile];
  made = Tile{};
  made.x = home.x, made.y = home.y;
  made.used = true;
  made.copy = layout_.copies(home);
  if (!made.copy) {
    made.copied = layout_.has_copies(home);
    made.frame = layout_.frame(home);
  }
  count_++;
  return tile;
}

// Makes others a tile's neighbours, and it theirs.
void TileTable::link(TileId tile, const std::array<TileId, kTileWays>& around) {
  tiles_[tile].next = around;
  for (int d = 0; d < kTileWays; d++) {
    if (const TileId other = around[d]) tiles_[other].next[7 - d] = tile;
  }
}

TileId TileTable::make(std::int64_t x, std::int64_t y) {
  const Cell home = layout_.home({x, y});
  const std::uint64_t hash = key_hash(home.x, home.y);
  std::size_t place = place_of(home.x, home.y, hash);
  if (const TileId found = places_[place].tile) return found;
  if (make_room()) place = place_of(home.x, home.y, hash);
  const TileId tile = add(home);
  places_[place] = {tile, tag_of(hash)};
  link(tile, neighbours(home));
  relinked(tile);
  return tile;
}

std::vector<TileId> TileTable::make_all() {
  const Rect all = layout_.tiles();
  std::vector<TileId> tiles;
  tiles.reserve(static_cast<std::size_t>(all.width * all.height));
  reserve(std::max(tiles_.size(), whole_layout()));
  if (relinked_) relinked_->reserve(relinked_->size() + tiles.capacity());
  for (std::int64_t y = 0; y < all.height; y++) {
    for (std::int64_t x = 0; x < all.width; x++) {
      const std::uint64_t hash = key_hash(x, y);
      std::size_t place = place_of(x, y, hash);
      if (!places_[place].tile) {
        if (make_room()) place = place_of(x, y, hash);
        places_[place] = {add({x, y}), tag_of(hash)};
      }
      tiles.push_back(places_[place].tile);
    }
  }
  // Those at the edges have neighbours elsewhere: round the universe, or copies.
  const TileId* tile = tiles.data();
  for (std::int64_t y = 0; y < all.height; y++) {
    for (std::int64_t x = 0; x < all.width; x++, tile++) {
      const bool edge = x == 0 || y == 0 || x == all.width - 1 || y == all.height - 1;
      if (edge) {
        std::array<TileId, kTileWays> around{};
        for (int d = 0; d < kTileWays; d++) around[d] = find(x + kWayX[d], y + kWayY[d]);
        link(*tile, around);
        relinked(*tile);
        continue;
      }
      for (int d = 0; d < kTileWays; d++)
        tiles_[*tile].next[d] = *(tile + kWayY[d] * all.width + kWayX[d]);
      if (relinked_) relinked_->push_back(*tile);
    }
  }
  return tiles;
}

void TileTable::extend(TileId end) {
  if (end <= tiles_.size()) return;
  tiles_.resize(end);
  for (std::vector<TileState>& states : ring_) states.resize(end, 0);
}

// The tiles around a place. Who has a neighbour there knows those that both have, so that a tile
// beside a row of tiles is found without looking for all eight.
std::array<TileId, kTileWays> TileTable::neighbours(const Cell& at) const {
  std::array<TileId, kTileWays> around{};
  const Rect all = layout_.tiles();
  // Round short sides a tile is its own neighbour, or that of its neighbour's twice.
  constexpr std::int64_t kShort = 4;
  if (layout_.bounded() && (all.width < kShort || all.height < kShort)) {
    for (int d = 0; d < kTileWays; d++) around[d] = find(at.x + kWayX[d], at.y + kWayY[d]);
    return around;
  }
  std::array<bool, kTileWays> known{};
  for (const int d : kBesideFirst) {
    if (!known[d]) around[d] = find(at.x + kWayX[d], at.y + kWayY[d]);
    if (!around[d]) continue;
    for (int e = 0; e < kTileWays; e++) {
      const int x = kWayX[e] - kWayX[d], y = kWayY[e] - kWayY[d];
      if (known[e] || e == d || std::max(std::abs(x), std::abs(y)) > 1) continue;
      around[e] = tiles_[around[d]].next[static_cast<std::size_t>(way_of(x, y))];
      known[e] = true;
    }
  }
  return around;
}

// A tile and all around it have other neighbours now.
void TileTable::relinked(TileId tile) {
  if (!relinked_) return;
  relinked_->push_back(tile);
  for (const TileId other : tiles_[tile].next) {
    if (other) relinked_->push_back(other);
  }
}

// Linear probing without gaps: what stands behind moves up (Knuth, volume 3, section 6.4, R).
void TileTable::erase(TileId tile) {
  const std::size_t mask = places_.size() - 1;
  const std::int64_t x = tiles_[tile].x, y = tiles_[tile].y;
  std::size_t gap = place_of(x, y, key_hash(x, y));
  for (std::size_t at = gap;;) {
    places_[gap] = {};
    for (;;) {
      at = (at + 1) & mask;
      if (!places_[at].tile) return;
      const Tile& there = tiles_[places_[at].tile];
      const std::size_t wanted = key_hash(there.x, there.y) & mask;
      if (((at - wanted) & mask) >= ((at - gap) & mask)) break;
    }
    places_[gap] = places_[at];
    gap = at;
  }
}

void TileTable::drop(TileId tile) {
  erase(tile);
  relinked(tile);
  for (int d = 0; d < kTileWays; d++) {
    if (const TileId other = tiles_[tile].next[d]) tiles_[other].next[7 - d] = 0;
  }
  tiles_[tile] = Tile{};
  free_.push_back(tile);
  count_--;
}

std::int64_t TileTable::bytes_per_tile() const {
  return static_cast<std::int64_t>(sizeof(Tile) + 2 * sizeof(Place) +
                                   ring_.size() * sizeof(TileState));
}

std::int64_t TileTable::bytes() const {
  return static_cast<std::int64_t>(
      tiles_.capacity() * sizeof(Tile) + places_.size() * sizeof(Place) +
      free_.capacity() * sizeof(TileId) + ring_.size() * tiles_.capacity() * sizeof(TileState));
}

}  // namespace tessera
