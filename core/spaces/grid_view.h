#pragma once

#include <functional>

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

/// The picture of a view that goes round a torus (View::wrapped): its parts, each looked at once by
/// `plain`, which takes views inside the torus, and copied to wherever it comes.
void view_round(const Rect& torus, const View& view,
                const std::function<void(const View&, DensityImage&)>& plain, DensityImage& image);

/// Which cells of a grid of less than 2^32 cells per side are under the pixels of that picture, in
/// the grid's own coordinates.
PixelSpans spans_of(const GridPlace& place, const View& view);

}  // namespace tessera
