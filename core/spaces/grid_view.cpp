#include "core/spaces/grid_view.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/pictures/cell_counts.h"

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

constexpr std::int64_t kEdgeBandCells = std::int64_t{1} << 24;

// Pixels that the grid's edge cuts: the part of their cells that is inside the grid is brought here
// band by band and counted. `columns` and `rows` are pixels of the view.
void view_cut(StepBackend& backend, const Rect& grid, const View& view, const Range& columns,
              const Range& rows, DensityImage& image) {
  const Rect& rect = view.cells;
  const std::int64_t scale = view.scale;
  // Relative to the rectangle's top-left cell.
  const std::int64_t left = std::max(columns.begin * scale, grid.x - rect.x);
  const std::int64_t right =
      std::min({columns.end * scale, rect.width, grid.x + grid.width - rect.x});
  const std::int64_t bottom =
      std::min({rows.end * scale, rect.height, grid.y + grid.height - rect.y});
  const std::int64_t most_rows = std::max<std::int64_t>(1, kEdgeBandCells / (right - left));
  std::vector<std::int64_t> live(
      static_cast<std::size_t>((columns.end - columns.begin) * (rows.end - rows.begin)));
  for (std::int64_t top = std::max(rows.begin * scale, grid.y - rect.y); top < bottom;
       top += most_rows) {
    const std::int64_t height = std::min(most_rows, bottom - top);
    const BitGrid band =
        backend.download({rect.x + left - grid.x, rect.y + top - grid.y, right - left, height})
            .live();
    for (std::int64_t y = 0; y < height; y++) {
      std::int64_t* counts =
          live.data() + ((top + y) / scale - rows.begin) * (columns.end - columns.begin);
      for (std::int64_t px = columns.begin; px < columns.end; px++) {
        const std::int64_t begin = std::max(px * scale - left, std::int64_t{0});
        const std::int64_t cells = std::min((px + 1) * scale, right) - left - begin;
        std::uint64_t live_here = 0;
        count_pixel_row(band, {begin, y, cells, 1}, cells, &live_here);
        counts[px - columns.begin] += static_cast<std::int64_t>(live_here);
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

// The picture of a view that does not wrap.
void view_plain(StepBackend& backend, const Rect& grid, const View& view, DensityImage& image) {
  const Rect& rect = view.cells;
  const std::int64_t scale = view.scale;
  const Side x = meet(rect.x, rect.width, grid.x, grid.width, scale);
  const Side y = meet(rect.y, rect.height, grid.y, grid.height, scale);
  const auto cells_of = [&](const Range& columns, const Range& rows) {
    const std::int64_t left = columns.begin * scale, top = rows.begin * scale;
    return Rect{rect.x + left, rect.y + top, std::min(columns.end * scale, rect.width) - left,
                std::min(rows.end * scale, rect.height) - top};
  };

  const Rect inside = cells_of(x.whole, y.whole);
  const Rect own{inside.x - grid.x, inside.y - grid.y, inside.width, inside.height};
  if (inside == rect) {
    backend.view(own, scale, image);
    return;
  }
  image.resize(ceil_div(rect.width, scale), ceil_div(rect.height, scale));
  if (!inside.empty()) {
    DensityImage part;
    backend.view(own, scale, part);
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
      view_cut(backend, grid, view, columns, rows, image);
    }
  }
}

// Pixels along one side that show consecutive pixels of the torus.
struct Run {
  std::int64_t to;      // first pixel in the picture
  std::int64_t from;    // first pixel in the torus
  std::int64_t length;  // pixels
};

std::vector<Run> runs_along(std::int64_t at, std::int64_t pixels, std::int64_t low,
                            std::int64_t side, std::int64_t scale) {
  std::vector<Run> runs;
  for (std::int64_t to = 0; to < pixels; to += runs.back().length) {
    const std::int64_t cell = floor_mod(at - low + to * scale, side);
    runs.push_back({to, cell / scale, std::min(pixels - to, ceil_div(side - cell, scale))});
  }
  return runs;
}

// Stretches of the torus to ask for: those of the runs, or once all of it when it comes often.
std::vector<Run> stretches(const std::vector<Run>& runs, std::int64_t side, std::int64_t scale) {
  if (runs.size() <= 2) return runs;
  return {{0, 0, ceil_div(side, scale)}};
}

bool holds(const Run& stretch, const Run& run) {
  return run.from >= stretch.from && run.from + run.length <= stretch.from + stretch.length;
}

bool goes_round(const GridPlace& place, const View& view) {
  return view.wrapped && place.torus && !place.cells.contains(view.cells);
}

// One side of spans_of: `at` is the picture's first cell, counted from the grid's.
std::vector<PixelSpan> spans_along(std::int64_t at, std::int64_t cells, std::int64_t side,
                                   std::int64_t scale, bool round) {
  const auto narrow = [](std::int64_t n) { return static_cast<std::uint32_t>(n); };
  std::vector<PixelSpan> spans;
  for (std::int64_t pixel = 0; pixel < ceil_div(cells, scale); pixel++) {
    std::int64_t begin = at + pixel * scale, end = std::min(begin + scale, at + cells);
    if (round) {
      begin = floor_mod(begin, side) / scale * scale;
      end = std::min(begin + scale, side);
    }
    const std::int64_t first = std::clamp<std::int64_t>(begin, 0, side);
    const std::int64_t last = std::clamp<std::int64_t>(end, first, side);
    spans.push_back({narrow(first), narrow(last - first), narrow(end - begin)});
  }
  return spans;
}

}  // namespace

void view_round(const Rect& torus, const View& view,
                const std::function<void(const View&, DensityImage&)>& plain, DensityImage& image) {
  const std::int64_t scale = view.scale;
  image.reshape(ceil_div(view.cells.width, scale), ceil_div(view.cells.height, scale));
  const std::vector<Run> columns =
      runs_along(view.cells.x, image.width, torus.x, torus.width, scale);
  const std::vector<Run> rows =
      runs_along(view.cells.y, image.height, torus.y, torus.height, scale);
  DensityImage tile;
  for (const Run& down : stretches(rows, torus.height, scale)) {
    for (const Run& across : stretches(columns, torus.width, scale)) {
      const std::int64_t x = across.from * scale, y = down.from * scale;
      plain({{torus.x + x, torus.y + y, std::min(across.length * scale, torus.width - x),
              std::min(down.length * scale, torus.height - y)},
             scale},
            tile);
      for (const Run& row : rows) {
        for (const Run& column : columns) {
          if (!holds(down, row) || !holds(across, column)) continue;
          for (std::int64_t i = 0; i < row.length; i++) {
            const auto from = tile.pixels.begin() + (row.from - down.from + i) * tile.width +
                              (column.from - across.from);
            std::copy_n(from, column.length,
                        image.pixels.begin() + (row.to + i) * image.width + column.to);
          }
        }
      }
    }
  }
}

void view_grid(StepBackend& backend, const GridPlace& place, const View& view,
               DensityImage& image) {
  if (goes_round(place, view)) {
    const auto plain = [&](const View& part, DensityImage& out) {
      view_plain(backend, place.cells, part, out);
    };
    view_round(place.cells, view, plain, image);
  } else {
    view_plain(backend, place.cells, view, image);
  }
}

PixelSpans spans_of(const GridPlace& place, const View& view) {
  const Rect& grid = place.cells;
  const bool round = goes_round(place, view);
  return {spans_along(view.cells.x - grid.x, view.cells.width, grid.width, view.scale, round),
          spans_along(view.cells.y - grid.y, view.cells.height, grid.height, view.scale, round)};
}

}  // namespace tessera
