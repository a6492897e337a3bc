#include "core/universe_view.h"

#include <algorithm>

#include "core/error.h"

namespace tessera {
namespace {

// Half-open range of pixels along one side.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// How one side of a rectangle meets the same side of the grid, in pixels counted from the
// rectangle's edge.
struct Side {
  Range touched;  // pixels with a cell inside the grid
  Range whole;    // pixels whose cells within the rectangle are all inside it; empty or within
                  // `touched`
};

Side meet(std::int64_t rect_at, std::int64_t rect_size, std::int64_t grid_at,
          std::int64_t grid_size, std::int64_t scale) {
  const std::int64_t begin = std::max<std::int64_t>(0, grid_at - rect_at);
  const std::int64_t end = std::min(rect_size, grid_at + grid_size - rect_at);
  if (begin >= end) return {};
  Side side;
  side.touched = {begin / scale, ceil_div(end, scale)};
  // The rectangle's own last pixel may be narrower; it is whole when the grid reaches the
  // rectangle's end.
  side.whole = {ceil_div(begin, scale), end == rect_size ? ceil_div(end, scale) : end / scale};
  if (side.whole.begin >= side.whole.end) side.whole = {side.touched.end, side.touched.end};
  return side;
}

void paste(const DensityImage& part, std::int64_t px, std::int64_t py, DensityImage& image) {
  for (std::int64_t y = 0; y < part.height; y++) {
    const auto from = part.pixels.begin() + y * part.width;
    std::copy(from, from + part.width, image.pixels.begin() + (py + y) * image.width + px);
  }
}

}  // namespace

void view_universe(Universe& universe, const Rect& rect, std::int64_t scale, DensityImage& image) {
  if (rect.empty() || scale < 1)
    throw InputError("a view must not be empty and its scale must be 1 or more");
  image.resize(ceil_div(rect.width, scale), ceil_div(rect.height, scale));
  const Cell origin = universe.grid_origin();
  const BackendSpec& grid = universe.backend().spec();
  const Side x = meet(rect.x, rect.width, origin.x, grid.width, scale);
  const Side y = meet(rect.y, rect.height, origin.y, grid.height, scale);
  const auto cells_of = [&](const Range& columns, const Range& rows) {
    const std::int64_t left = columns.begin * scale, top = rows.begin * scale;
    return Rect{rect.x + left, rect.y + top, std::min(columns.end * scale, rect.width) - left,
                std::min(rows.end * scale, rect.height) - top};
  };

  DensityImage part;
  const Rect inside = cells_of(x.whole, y.whole);
  if (!inside.empty()) {
    universe.backend().view({inside.x - origin.x, inside.y - origin.y, inside.width, inside.height},
                            scale, part);
    paste(part, x.whole.begin, y.whole.begin, image);
  }
  // The frame of cut pixels around it: above, below, left and right.
  const Range middle{y.whole.begin, y.whole.end};
  const std::pair<Range, Range> frame[] = {{x.touched, {y.touched.begin, middle.begin}},
                                           {x.touched, {middle.end, y.touched.end}},
                                           {{x.touched.begin, x.whole.begin}, middle},
                                           {{x.whole.end, x.touched.end}, middle}};
  for (const auto& [columns, rows] : frame) {
    const Rect cut = cells_of(columns, rows);
    if (columns.begin >= columns.end || rows.begin >= rows.end) continue;
    reduce_density(universe.window(cut), {0, 0, cut.width, cut.height}, scale, part);
    paste(part, columns.begin, rows.begin, image);
  }
}

}  // namespace tessera
