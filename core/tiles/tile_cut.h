#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/cells/cell_grid.h"
#include "core/tiles/tile.h"

namespace tessera {

/// What a grid has of the cells of tiles that lie side by side, one row of tiles at a time.
class TileCut {
 public:
  /// Of `tiles` tiles, each of which shares a column with the grid; that of the first cell of the
  /// first of them is `x`, or -x columns before the grid's first. Tiles have `planes` planes, and
  /// the grid, which must outlive this, as many or fewer. Takes 400 bytes a tile and plane.
  TileCut(const CellGrid& cells, std::int64_t x, std::int64_t tiles, int planes);

  /// Cuts the tiles whose first row is row `y` of the grid, or -y rows before its first.
  void cut(std::int64_t y);
  /// A tile's cells, plane by plane; they are dead where the grid has none.
  std::span<TileRows> tile(std::size_t i) { return std::span(rows_).subspan(i * planes_, planes_); }
  bool empty(std::size_t i) const { return live_[i] == 0; }
  /// Completes tile `i` by the cells that it has had: those that the grid does not have, and with
  /// `dead_too` those that are dead in it.
  void complete(std::size_t i, std::span<const TileRows> before, bool dead_too);

 private:
  // Where the columns of a tile stand in a row of the grid.
  struct Columns {
    std::int64_t word = 0;     // of the first of them that the grid has,
    int shift = 0;             // its bit there,
    int first = 0;             // and its number in the tile
    bool two = false;          // others stand in the next word
    std::uint64_t inside = 0;  // those that the grid has

    std::uint64_t bits(const std::uint64_t* row) const;
  };

  const CellGrid* cells_;
  std::size_t planes_;
  std::vector<Columns> columns_;
  std::vector<TileRows> rows_;       // plane by plane of each tile
  std::vector<std::uint64_t> live_;  // by tile: columns with live cells
  int from_ = 0, to_ = 0;            // rows that the grid has
};

}  // namespace tessera
