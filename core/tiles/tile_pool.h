#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/tiles/tile.h"
#include "core/tiles/tile_store.h"
#include "core/tiles/tile_table.h"

namespace tessera {

/// One step of tiles: from the states in slot `now` to those in slot `after`, which holds what they
/// were a whole ring of steps earlier.
struct TileStep {
  int now = 0;
  int after = 0;
  int generations = 0;  ///< 1 .. kTileMargin / TilePool::reach()
  bool odd = false;     ///< of two rules in turns the second one's generation comes first
};

/// Neighbours of a tile that are to be made because cells changed that they see.
struct MissingTiles {
  TileId tile = 0;
  std::uint32_t ways = 0;  ///< bit d: the neighbour in way d (see tile.h)
};

/// What visits bring about for the step that follows.
struct TileWork {
  /// Tiles to visit: those that changed, and their neighbours that see it, but for copies. None
  /// stands here twice, and each has `stamp` in Tile::queued.
  std::vector<TileId> list;
  std::vector<TileId> copied;  ///< those that changed and are repeated by copies (Tile::copied)
  std::vector<MissingTiles> missing;
  std::uint64_t stamp = 0;

  /// Nothing yet, for the step after the one with that stamp.
  void begin_after(std::uint64_t last) {
    list.clear();
    copied.clear();
    missing.clear();
    stamp = last + 1;
  }
};

/// States of tiles, and the kernel that steps them; what a backend offers besides StepBackend. Not
/// thread-safe: one call at a time.
class TilePool : public TileStore {
 public:
  /// Frames by Tile::frame; frame 0 is the whole window. Cells outside a window's frame stay dead
  /// in every generation. Throws UnsupportedError where the pool has no frames.
  virtual void set_frames(const std::vector<TileFrame>& frames);
  /// Cells that a cell's neighbours may be away: a step has at most kTileMargin / reach()
  /// generations.
  virtual int reach() const { return 1; }
  /// Whether two rules take turns, so that it matters in which generation a step begins.
  virtual bool two_rules() const { return false; }

  /// Steps the tiles of `list`, none of them twice, and adds to `next` whom the states that are now
  /// others in slot `after` concern. Throws std::bad_alloc before anything has changed.
  virtual void visit(TileTable& table, const TileStep& step, std::span<const TileId> list,
                     TileWork& next) = 0;
  /// How many threads the work on a list of so many tiles is worth, of those that the pool has.
  virtual int parts(std::size_t /*tiles*/) const { return 1; }
  /// Calls run(0) to run(parts - 1), each once and at the same time; they must not throw. `parts`
  /// is what parts() said.
  virtual void share(int /*parts*/, const std::function<void(int)>& run) { run(0); }
  /// Steps one window without touching any slot: the state of `tile` after such a step, held once.
  virtual TileState peek(TileTable& table, const TileStep& step, TileId tile) = 0;

  /// Bytes that all tiles may take: what was asked for, or what the device has.
  virtual std::int64_t limit() const = 0;
};

}  // namespace tessera
