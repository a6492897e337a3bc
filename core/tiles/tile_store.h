#pragma once

#include <cstdint>
#include <span>

#include "core/tiles/tile.h"

namespace tessera {

/// States of tiles in the host's memory, counted. A state is immutable and belongs to one tile;
/// several slots of that tile may hold it. Not thread-safe.
class TileStore {
 public:
  virtual ~TileStore() = default;

  /// Bit planes of a cell, 1 .. kMostTilePlanes; with one, state 1 is the only one of live cells.
  virtual int planes() const { return 1; }
  /// A new state in which these cells have state 1, held once; 0 when they are all dead.
  virtual TileState put(const TileRows& rows) = 0;
  /// The same of cells of any state, by planes(). Throws std::bad_alloc.
  virtual TileState put_planes(std::span<const TileRows> planes) { return put(planes.front()); }
  /// The live cells of a state.
  virtual void get(TileState state, TileRows& rows) const = 0;
  /// What states they have, by planes().
  virtual void get_planes(TileState state, std::span<TileRows> planes) const {
    get(state, planes.front());
  }
  /// The same of the rows from `first` up to `end` alone; the others stay as they are.
  virtual void get_rows(TileState state, int first, int end, TileRows& rows) const = 0;
  /// Live cells of a state.
  virtual int population(TileState state) const = 0;
  /// Holds a state once more, or once less: it is gone when nobody holds it.
  virtual void hold(TileState state) = 0;
  virtual void release(TileState state) = 0;

  /// Bytes that one more state may take.
  virtual std::int64_t bytes_per_state() const { return kTileSide * 8; }
  /// Bytes that states take now.
  virtual std::int64_t bytes() const = 0;
};

}  // namespace tessera
