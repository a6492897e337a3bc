#pragma once

#include <cstdint>

#include "core/cells/cell_grid.h"
#include "core/pictures/density_image.h"

namespace tessera {

/// A picture of cells of several states: the byte of each pixel is the state of the first live cell
/// in reading order among its scale x scale cells, or 0. Written into ceil(height / scale) rows
/// from `row` on of `image`, which is ceil(width / scale) pixels wide.
void state_pixels(const CellGrid& cells, std::int64_t scale, DensityImage& image,
                  std::int64_t row = 0);

}  // namespace tessera
