#pragma once

#include <optional>

#include "apps/viewer/simulation/camera.h"
#include "core/base/geometry.h"

namespace tessera {

/// Which edges of a rectangle of cells the mouse holds, to resize it.
struct Grip {
  int x = 0;  ///< -1: the left edge, 1: the right one, 0: neither
  int y = 0;  ///< -1: the top edge, 1: the bottom one, 0: neither
  bool operator==(const Grip&) const = default;
};

/// The edges within `reach` pixels of a pixel of the view; nothing when none is. Inside, a third of
/// a small rectangle stays free, so that it can be moved.
std::optional<Grip> grip_at(const Camera& camera, const Rect& cells, int px, int py, int reach);

/// The rectangle after the held edges were dragged so many pixels: to the cells' nearest border,
/// never to nothing. An edge that is dragged across the opposite one becomes that.
Rect resized(const Camera& camera, const Rect& cells, const Grip& grip, int dx, int dy);

}  // namespace tessera
