#pragma once

#include <functional>
#include <vector>

#include "core/files/shard.h"
#include "core/tiles/tile_device.h"

namespace tessera {

/// What a process must know to write tiles of its own as a shard.
struct TileShard {
  ShardOrder order;
  int number = 0;  ///< of the shard
  int slot = 0;    ///< that holds the cells
  Cell corner{};   ///< the universe's cell that is the first of the tile at (0, 0)
};

/// A tile by its number on a device, and where it lies, in tiles.
struct NumberedPlace {
  TileId tile = 0;
  Cell at;
};

/// Gives some tiles at a time, and none after the last.
using NextTiles = std::function<std::vector<NumberedPlace>()>;

/// Writes the live cells of a device's tiles that lie in the order's extent: those of universes
/// that end have nothing beyond it. The device's cells are asked for by the handful. Throws what
/// write_shard and the device throw.
Shard write_tiles(TileDevice& device, const TileShard& what, std::vector<NumberedPlace> tiles);

}  // namespace tessera
