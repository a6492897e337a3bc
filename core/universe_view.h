#pragma once

#include <cstdint>

#include "core/base/geometry.h"
#include "core/pictures/density_image.h"
#include "core/universe.h"

namespace tessera {

/// Largest scale of a view; a pixel's cells can then be counted in 63 bits.
inline constexpr std::int64_t kMaxViewScale = std::int64_t{1} << 31;

/// A picture of any rectangle of a universe, in absolute coordinates: ceil(width/scale) x
/// ceil(height/scale) pixels of scale x scale cells, grey as StepBackend::view defines it; cells
/// outside the grid are dead. The backend reduces all but the pixels that the grid's edge cuts, so
/// little more than pixels is transferred. Throws InputError for an empty rectangle or a scale
/// outside 1 .. kMaxViewScale.
void view_universe(Universe& universe, const Rect& rect, std::int64_t scale, DensityImage& image);

}  // namespace tessera
