#pragma once

#include <vector>

#include "core/base/geometry.h"
#include "core/cells/cell_grid.h"
#include "core/spaces/space.h"

namespace tessera {

/// How much of a space's cells moves, estimated from some hundred windows of a tile's size spread
/// over them: the cells now, against those some generations later.
class ActivitySample {
 public:
  /// Reads the windows; all of them when there are no more.
  explicit ActivitySample(Space& space);
  /// The share of the windows that hold a live cell.
  double live() const;
  /// The share of them whose cells are others now.
  double changed(Space& space) const;

 private:
  std::vector<Rect> bands_;
  std::vector<CellGrid> before_;
};

}  // namespace tessera
