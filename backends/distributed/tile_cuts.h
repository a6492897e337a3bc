#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/geometry.h"

namespace tessera {

/// A tile's place and what stepping it costs.
struct TileLoad {
  Cell at;  ///< in tiles
  double load = 0;
};

/// Which part has which tiles of a plane: all places in the order of columns, or of rows, are cut
/// into as many stretches as there are parts. A stretch begins and ends within a column, so that
/// even a single column of tiles can be divided, and two stretches meet along one or two columns.
struct TileCuts {
  bool by_rows = false;
  std::vector<Cell> cuts;  ///< the first place of each part but the first, in order

  /// The part that has a place.
  std::size_t part_of(const Cell& at) const;
  /// Whether place `a` comes before `b`.
  bool before(const Cell& a, const Cell& b) const;
};

/// Cuts that give each part its share of the load by `speeds`, as well as whole tiles allow, and no
/// part more tiles than `most`, unless all are full. Sorts `tiles`; parts whose share is nothing
/// get none. `by_rows`: how the tiles are cut now: that stays unless the other way is much shorter.
TileCuts cut_tiles(std::vector<TileLoad>& tiles, std::span<const double> speeds,
                   std::span<const std::int64_t> most, bool by_rows);

}  // namespace tessera
