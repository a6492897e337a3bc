#include "core/universe_view.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "core/base/error.h"

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

// Live cells of row y of a grid from column `begin` up to before `end`.
std::int64_t live_cells(const BitGrid& grid, std::int64_t y, std::int64_t begin, std::int64_t end) {
  std::int64_t count = 0;
  while (begin < end) {
    const std::int64_t bit = begin % 64, take = std::min(end - begin, 64 - bit);
    count += std::popcount(grid.row(y)[begin / 64] >> bit & ~std::uint64_t{0} >> (64 - take));
    begin += take;
  }
  return count;
}

constexpr std::int64_t kBandCells = std::int64_t{1} << 24;

// Pixels that the grid's edge cuts: the part of their cells that is inside the grid is brought here
// band by band and counted. `columns` and `rows` are pixels of the view of `rect`.
void view_cut(Universe& universe, const Rect& rect, std::int64_t scale, const Range& columns,
              const Range& rows, DensityImage& image) {
  const Cell origin = universe.grid_origin();
  const BackendSpec& grid = universe.backend().spec();
  // Relative to the rectangle's top-left cell.
  const std::int64_t left = std::max(columns.begin * scale, origin.x - rect.x);
  const std::int64_t right =
      std::min({columns.end * scale, rect.width, origin.x + grid.width - rect.x});
  const std::int64_t bottom =
      std::min({rows.end * scale, rect.height, origin.y + grid.height - rect.y});
  const std::int64_t most_rows = std::max<std::int64_t>(1, kBandCells / (right - left));
  std::vector<std::int64_t> live(
      static_cast<std::size_t>((columns.end - columns.begin) * (rows.end - rows.begin)));
  for (std::int64_t top = std::max(rows.begin * scale, origin.y - rect.y); top < bottom;
       top += most_rows) {
    const std::int64_t height = std::min(most_rows, bottom - top);
    const BitGrid band = universe.window({rect.x + left, rect.y + top, right - left, height});
    for (std::int64_t y = 0; y < height; y++) {
      std::int64_t* counts =
          live.data() + ((top + y) / scale - rows.begin) * (columns.end - columns.begin);
      for (std::int64_t px = columns.begin; px < columns.end; px++) {
        counts[px - columns.begin] +=
            live_cells(band, y, std::max(px * scale - left, std::int64_t{0}),
                       std::min((px + 1) * scale, right) - left);
      }
    }
  }
  for (std::int64_t py = rows.begin; py < rows.end; py++) {
    for (std::int64_t px = columns.begin; px < columns.end; px++) {
      const std::int64_t width = std::min(scale, rect.width - px * scale);
      const std::int64_t height = std::min(scale, rect.height - py * scale);
      const std::int64_t count =
          live[(py - rows.begin) * (columns.end - columns.begin) + px - columns.begin];
      image.pixels[py * image.width + px] = density_grey(count, width * height);
    }
  }
}

}  // namespace

void view_universe(Universe& universe, const Rect& rect, std::int64_t scale, DensityImage& image) {
  if (rect.empty() || scale < 1 || scale > kMaxViewScale) {
    throw InputError("a view must not be empty and its scale must be in 1 .. 2^31");
  }
  const Cell origin = universe.grid_origin();
  const BackendSpec& grid = universe.backend().spec();
  const Side x = meet(rect.x, rect.width, origin.x, grid.width, scale);
  const Side y = meet(rect.y, rect.height, origin.y, grid.height, scale);
  const auto cells_of = [&](const Range& columns, const Range& rows) {
    const std::int64_t left = columns.begin * scale, top = rows.begin * scale;
    return Rect{rect.x + left, rect.y + top, std::min(columns.end * scale, rect.width) - left,
                std::min(rows.end * scale, rect.height) - top};
  };

  const Rect inside = cells_of(x.whole, y.whole);
  if (inside == rect) {
    universe.backend().view({rect.x - origin.x, rect.y - origin.y, rect.width, rect.height}, scale,
                            image);
    return;
  }
  image.resize(ceil_div(rect.width, scale), ceil_div(rect.height, scale));
  if (!inside.empty()) {
    DensityImage part;
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
    if (columns.begin < columns.end && rows.begin < rows.end) {
      view_cut(universe, rect, scale, columns, rows, image);
    }
  }
}

}  // namespace tessera
