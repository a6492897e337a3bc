#pragma once

#include <cstdint>

namespace tessera {

/// The pair of opposite edges that a torus is shifted along or a Klein bottle is twisted along.
struct Seam {
  bool vertical = false;  ///< the left and the right edge, not the top and the bottom one
  /// Cells by which the edges are shifted, to the right or down for who leaves across the right or
  /// bottom one; of a Klein bottle 0 or 1.
  std::int64_t shift = 0;

  bool operator==(const Seam&) const = default;
};

}  // namespace tessera
