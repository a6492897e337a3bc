#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/geometry.h"
#include "core/rules/rule_spec.h"
#include "core/tiles/tile.h"

namespace tessera {

/// How a universe lies on tiles. The top-left cell of a bounded one is the first cell of tile
/// (0, 0), and tiles lie side by side from there, the last ones beyond its right and bottom edge.
///
/// On a torus those cells beyond the edge repeat the torus's first ones. A side of whole tiles
/// closes by itself: the first tile is the neighbour of the last. Along any other side one more row
/// of tiles stands before the first and behind the last one, and repeats the torus there as far as
/// windows reach: copies, which are never stepped but made anew from what they repeat. So every
/// window is that of tiles on a plane that the torus covers again and again, whatever its size, and
/// no kernel knows of it.
/// On a bounded plane there is nothing beyond the edge; a frame (TileFrame) keeps windows dead
/// there.
class TileLayout {
 public:
  /// The infinite plane.
  TileLayout() = default;
  /// `width`, `height` >= 1 unless the topology is infinite.
  TileLayout(Topology topology, std::int64_t width, std::int64_t height);

  bool bounded() const { return x_.cells > 0; }
  /// The cells of a bounded universe.
  Rect cells() const { return {0, 0, x_.cells, y_.cells}; }
  /// The tiles that hold cells of a bounded universe, in tiles.
  Rect tiles() const { return {0, 0, x_.tiles, y_.tiles}; }

  /// Where a tile is kept: somewhere else only when it lies round a side of whole tiles.
  Cell home(const Cell& at) const { return {x_.home(at.x), y_.home(at.y)}; }
  /// Whether a tile, at home, is stepped.
  bool holds(const Cell& at) const { return x_.holds(at.x) && y_.holds(at.y); }
  /// Whether there is a tile at a place, which need not be at home, that is stepped.
  bool has(const Cell& at) const { return holds(home(at)); }
  /// Whether it is a copy.
  bool copies(const Cell& at) const;
  /// The rows of a tile that is stepped without the cells beyond the edges.
  void clip(const Cell& at, TileRows& rows) const;
  /// Whether it has none of those.
  bool whole(const Cell& at) const {
    return x_.own(at.x) == kTileSide && y_.own(at.y) == kTileSide;
  }
  /// Number of its frame in `frames()`; 0: the whole window.
  std::uint8_t frame(const Cell& at) const;
  /// All frames; empty where there is no need of any.
  std::vector<TileFrame> frames() const;

  /// Whether there are copies at all.
  bool has_copies() const { return x_.seam || y_.seam; }
  /// All of them. Throws UnsupportedError where they are too many to be listed.
  std::vector<Cell> all_copies() const;
  /// Calls visit(at) for each copy that repeats some of a tile that is stepped.
  template <class Visit>
  void for_each_copy(const Cell& at, const Visit& visit) const {
    const Places across = x_.places(at.x), down = y_.places(at.y);
    for (int y = 0; y < down.count; y++) {
      for (int x = 0; x < across.count; x++) {
        if (x > 0 || y > 0) visit(Cell{across.at[x], down.at[y]});
      }
    }
  }
  bool has_copies(const Cell& at) const { return x_.repeats(at.x) || y_.repeats(at.y); }
  /// A part of a copy: `size` cells from `from` of the tile `tile`, put at `to`.
  struct Part {
    Cell tile, from, to, size;
  };
  /// Calls visit(part) for each part of a copy; all other cells of it are dead, and nobody sees
  /// them.
  template <class Visit>
  void for_each_part(const Cell& copy, const Visit& visit) const {
    const Stretch whole_x{copy.x}, whole_y{copy.y};
    for (const Stretch& down : y_.stretches(copy.y, whole_y)) {
      for (const Stretch& across : x_.stretches(copy.x, whole_x)) {
        visit(Part{{across.tile, down.tile},
                   {across.from, down.from},
                   {across.to, down.to},
                   {across.size, down.size}});
      }
    }
  }
  /// How far the cells of a rectangle of the universe must be moved, nowhere included, to give all
  /// their repetitions in tiles that are stepped.
  std::vector<Cell> repetitions(const Rect& rect) const;

 private:
  // A part of a copy along one side.
  struct Stretch {
    std::int64_t tile = 0;
    int from = 0, to = 0, size = kTileSide;
  };
  // Where along one side a tile stands: first at its own place, then in copies.
  struct Places {
    std::array<std::int64_t, 3> at{};
    int count = 0;
  };
  // One side.
  struct Axis {
    std::int64_t cells = 0;  // 0: endless
    std::int64_t tiles = 0;
    bool round = false;                   // a torus's side of whole tiles
    bool seam = false;                    // a torus's other side
    std::vector<Stretch> before, behind;  // the copies at -1 and `tiles`

    Axis() = default;
    Axis(bool torus, std::int64_t side);
    std::int64_t home(std::int64_t at) const { return round ? floor_mod(at, tiles) : at; }
    bool holds(std::int64_t at) const { return cells == 0 || (at >= 0 && at < tiles); }
    bool copied(std::int64_t at) const { return seam && (at == -1 || at == tiles); }
    int own(std::int64_t at) const;
    int kind(std::int64_t at) const;  // of its frame
    Places places(std::int64_t at) const;
    bool repeats(std::int64_t at) const { return places(at).count > 1; }
    // What is found at a place that is a copy's; `whole` elsewhere.
    std::span<const Stretch> stretches(std::int64_t at, const Stretch& whole) const {
      if (!copied(at)) return {&whole, 1};
      return at < 0 ? before : behind;
    }
    std::vector<std::int64_t> shifts(std::int64_t at, std::int64_t size) const;
  };

  bool plane_ = false;
  Axis x_, y_;
};

}  // namespace tessera
