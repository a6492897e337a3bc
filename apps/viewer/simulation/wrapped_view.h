#pragma once

#include "core/pictures/age_map.h"
#include "core/pictures/density_image.h"
#include "core/universe.h"

namespace tessera {

/// A picture of a rectangle as view_universe makes it, but a torus goes on beyond its edges: cells
/// come again every width() columns and height() rows. Where pixels hold several cells, each pixel
/// of a further copy is the one of the torus's own pixel grid that its first cell lies in.
void view_wrapped(Universe& universe, const Rect& rect, std::int64_t scale, DensityImage& image);

/// Which cells of the universe's grid, of less than 2^32 a side, are under the pixels of that
/// picture.
PixelSpans spans_of(const Universe& universe, const Rect& rect, std::int64_t scale);

}  // namespace tessera
