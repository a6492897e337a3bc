#pragma once

#include <cstdint>

#include "core/cells/bit_grid.h"
#include "core/pictures/density_image.h"

namespace tessera {

/// How many cells are alive under each pixel of a view: a picture before it is shaded. Counts of
/// parts of a universe add up.
struct CellCounts : PixelRows<std::uint64_t> {
  /// Adds the counts of a part whose first pixel is (x, y) here; it must lie inside.
  void add(const CellCounts& part, std::int64_t x, std::int64_t y);
};

/// Counts the live cells of `rect` of a canonical grid by pixels of scale x scale cells, as
/// StepBackend::view defines it.
void count_cells(const BitGrid& grid, const Rect& rect, std::int64_t scale, CellCounts& counts);
/// The same of one row of pixels, `scale` rows of cells or fewer, into ceil(width/scale) counts.
void count_pixel_row(const BitGrid& grid, const Rect& rect, std::int64_t scale,
                     std::uint64_t* live);

/// The same as a picture.
void reduce_density(const BitGrid& grid, const Rect& rect, std::int64_t scale, DensityImage& image);

/// Greys of a view of width x height cells by pixels of scale x scale cells, as density_grey
/// defines them, into rows from `row` on of `image`, which is as wide as `counts`. This is the one
/// place where counts become a picture.
void shade(const CellCounts& counts, std::int64_t width, std::int64_t height, std::int64_t scale,
           DensityImage& image, std::int64_t row = 0);

/// Cells a side of the largest pixels whose counts a byte holds.
inline constexpr std::int64_t kMostByteScale = 15;

/// The same in the place of counts that bytes hold, which is several times as fast where most
/// pixels are empty; scale <= kMostByteScale.
void shade_bytes(std::int64_t width, std::int64_t height, std::int64_t scale, DensityImage& counts);

}  // namespace tessera
