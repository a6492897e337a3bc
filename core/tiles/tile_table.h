#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/large_pages.h"
#include "core/tiles/tile.h"
#include "core/tiles/tile_layout.h"

namespace tessera {

/// Number of a tile in a TileTable; 0 stands for every tile that is not in it, and is empty.
using TileId = std::uint32_t;

/// A tile's place and its neighbours, in a cache line.
struct alignas(64) Tile {
  std::int64_t x = 0, y = 0;             ///< in tiles: its first cell is (x, y) * kTileSide
  std::array<TileId, kTileWays> next{};  ///< its neighbours, 0 where they are not in the table
  std::uint64_t queued = 0;              ///< stamp of the last worklist that it was put on
  std::uint32_t marks = 0;               ///< scratch for who walks over all tiles; 0 in between
  bool used = false;                     ///< false: its number is free
  bool copy = false;                     ///< it repeats others (TileLayout) and is never stepped
  bool copied = false;                   ///< copies repeat some of it
  std::uint8_t frame = 0;                ///< see TilePool::set_frames
};

/// The tiles of a plane by place and by number, and a ring of their states: slot k holds for every
/// tile the state that it has in one of the last `slots()` steps.
class TileTable {
 public:
  explicit TileTable(int slots, const TileLayout& layout = {});

  const TileLayout& layout() const { return layout_; }
  /// The tile at a place (TileLayout::home), or 0.
  TileId find(std::int64_t x, std::int64_t y) const;
  /// The tiles at (left, y) to (right, y), 0 where there is none.
  void find_row(std::int64_t left, std::int64_t right, std::int64_t y,
                std::vector<TileId>& tiles) const;
  /// The tile at a place; makes it, empty in all slots, where there is none: the layout must hold
  /// it, or it must be a copy. Tiles may move in memory.
  TileId make(std::int64_t x, std::int64_t y);
  /// Makes all tiles of a bounded universe that are stepped, much sooner than one by one, and gives
  /// them row by row.
  std::vector<TileId> make_all();
  /// Numbers below `end` are tiles from now on, empty in all slots and in no place: for whoever
  /// numbers tiles himself and sees to their links.
  void extend(TileId end);
  /// Forgets a tile that is empty in all slots.
  void drop(TileId tile);
  /// Forgets all tiles; their states must have been given back.
  void clear(int slots);

  /// From now on appends to `into` the numbers of tiles whose neighbours are others now, some of
  /// them more than once; no longer for null.
  void record_links(std::vector<TileId>* into) { relinked_ = into; }

  /// Numbers are 1 .. end() - 1; some of them may not be used.
  TileId end() const { return static_cast<TileId>(tiles_.size()); }
  std::int64_t count() const { return count_; }
  Tile& operator[](TileId tile) { return tiles_[tile]; }
  const Tile& operator[](TileId tile) const { return tiles_[tile]; }
  Tile* tiles() { return tiles_.data(); }

  int slots() const { return static_cast<int>(ring_.size()); }
  /// States by tile number; [0] is 0.
  TileState* slot(int k) { return ring_[static_cast<std::size_t>(k)].data(); }
  const TileState* slot(int k) const { return ring_[static_cast<std::size_t>(k)].data(); }
  /// Another number of slots, all empty. States must have been given back.
  void set_slots(int slots);

  std::int64_t bytes() const;
  /// Bytes that one more tile takes.
  std::int64_t bytes_per_tile() const;

 private:
  // Where a tile stands in places_, with a part of its place's hash, so that hardly any other tile
  // is looked at on the way to it.
  struct Place {
    TileId tile = 0;  // 0: free
    std::uint32_t tag = 0;
  };
  std::size_t place_of(std::int64_t x, std::int64_t y, std::uint64_t hash) const;
  TileId add(const Cell& home);
  void link(TileId tile, const std::array<TileId, kTileWays>& around);
  bool make_room();
  bool reserve(std::size_t tiles);
  bool make_places(std::size_t tiles);
  std::size_t whole_layout() const;
  void put(TileId tile);
  std::array<TileId, kTileWays> neighbours(const Cell& at) const;
  void relinked(TileId tile);
  void erase(TileId tile);

  TileLayout layout_;
  std::vector<Tile, LargePages<Tile>> tiles_;
  std::vector<TileId> free_;
  std::vector<Place, LargePages<Place>> places_;  // open addressing with linear probing
  std::vector<std::vector<TileState>> ring_;
  std::int64_t count_ = 0;
  std::vector<TileId>* relinked_ = nullptr;  // see record_links
};

}  // namespace tessera
