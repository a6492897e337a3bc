#pragma once

#include <cstdint>

#include "core/tiles/tile.h"

namespace tessera {

/// States of tiles in the host's memory, counted. A state is immutable and belongs to one tile;
/// several slots of that tile may hold it. Not thread-safe.
class TileStore {
 public:
  virtual ~TileStore() = default;

  /// A new state with these cells, held once; 0 when they are all dead.
  virtual TileState put(const TileRows& rows) = 0;
  /// The cells of a state.
  virtual void get(TileState state, TileRows& rows) const = 0;
  /// The same of the rows from `first` up to `end` alone; the others stay as they are.
  virtual void get_rows(TileState state, int first, int end, TileRows& rows) const = 0;
  /// Live cells of a state.
  virtual int population(TileState state) const = 0;
  /// Holds a state once more, or once less: it is gone when nobody holds it.
  virtual void hold(TileState state) = 0;
  virtual void release(TileState state) = 0;

  /// Bytes that states take now.
  virtual std::int64_t bytes() const = 0;
};

}  // namespace tessera
