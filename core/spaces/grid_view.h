#pragma once

#include "core/pictures/age_map.h"
#include "core/pictures/density_image.h"
#include "core/spaces/view.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// Where a backend's grid lies: its absolute rectangle, and whether it is a torus.
struct GridPlace {
  Rect cells;
  bool torus = false;
};

/// The picture of a view (Space::look) of a backend's grid; cells outside the grid are dead. The
/// backend reduces all but the pixels that the grid's edge cuts, so little more than pixels is
/// transferred.
void view_grid(StepBackend& backend, const GridPlace& place, const View& view, DensityImage& image);

/// Which cells of a grid of less than 2^32 cells per side are under the pixels of that picture, in
/// the grid's own coordinates.
PixelSpans spans_of(const GridPlace& place, const View& view);

}  // namespace tessera
