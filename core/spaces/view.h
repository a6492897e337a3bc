#pragma once

#include <cstdint>

#include "core/base/geometry.h"

namespace tessera {

/// Which cells a picture shows, in absolute coordinates.
struct View {
  /// Largest scale; a pixel's cells can then be counted in 63 bits.
  static constexpr std::int64_t kMaxScale = std::int64_t{1} << 31;

  /// ceil(width/scale) x ceil(height/scale) pixels show these, from the top left; pixels at the
  /// right and bottom edge may have fewer than scale x scale cells.
  Rect cells;
  std::int64_t scale = 1;  ///< cells per pixel and side, 1 .. kMaxScale
  /// Whether a torus goes on beyond its edges: then cells come again every width() columns and
  /// height() rows, and each pixel of a further copy is the one of the torus's own pixel grid that
  /// its first cell lies in. Otherwise cells outside the universe are dead.
  bool wrapped = false;

  bool operator==(const View&) const = default;
};

}  // namespace tessera
