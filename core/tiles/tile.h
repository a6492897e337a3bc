#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tessera {

/// Cells a side of a tile. With kTileMargin cells of its neighbours all round it is a window of
/// 64 x 64 cells: eight vectors of eight words, stepped in registers.
inline constexpr int kTileSide = 48;
/// Cells of its neighbours that a tile's next state may depend on, and so the most generations per
/// step: nothing moves faster than one cell per generation.
inline constexpr int kTileMargin = 8;

/// The rows of a tile from the top, bit b of a row being its column b, 0 .. kTileSide - 1.
using TileRows = std::array<std::uint64_t, kTileSide>;

/// Bit planes of a cell's state that a tile may have (CellGrid).
inline constexpr int kMostTilePlanes = 8;

/// All cells of a tile's row.
inline constexpr std::uint64_t kWholeTileRow = (std::uint64_t{1} << kTileSide) - 1;

/// The neighbours that see some of these cells, bit d for way d: those within kTileMargin cells.
std::uint32_t ways_that_see(const TileRows& rows);

/// The cells that are others in any of as many planes.
TileRows difference(std::span<const TileRows> planes, std::span<const TileRows> others);

/// The cells that have a bit in any of the planes, and so are alive.
TileRows live_cells(std::span<const TileRows> planes);

/// A tile's window: what a visit of the tile depends on, so many rows of as many cells.
inline constexpr int kTileWindowSide = kTileSide + 2 * kTileMargin;
using TileWindow = std::array<std::uint64_t, kTileWindowSide>;
/// Adds to a window what it shows of a tile that lies so many tiles to the right of, and below, the
/// one in its middle.
void add_to_window(const TileRows& rows, int right, int below, TileWindow& window);

/// A state of a tile in a TilePool; 0 is the empty tile, in every pool.
using TileState = std::uint32_t;

/// Neighbours of a tile in reading order: way d leads (kWayX[d], kWayY[d]) tiles on, 7 - d back.
inline constexpr int kTileWays = 8;
inline constexpr std::array<int, kTileWays> kWayX{-1, 0, 1, -1, 1, -1, 0, 1};
inline constexpr std::array<int, kTileWays> kWayY{-1, -1, -1, 0, 0, 1, 1, 1};

/// The cells of a window that lie in a bounded plane, half-open, counted from the window's own
/// top-left cell, which is kTileMargin cells before the tile's; all others stay dead.
struct TileFrame {
  int left = 0, top = 0;
  int right = kTileWindowSide, bottom = kTileWindowSide;
  bool operator==(const TileFrame&) const = default;
};

}  // namespace tessera
