#include "apps/viewer/simulation/wrapped_view.h"

#include <algorithm>
#include <vector>

#include "core/universe_view.h"

namespace tessera {
namespace {

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

bool goes_round(const RuleSpec& spec, const Rect& rect) {
  const Cell low = spec.origin();
  return spec.topology == Topology::torus &&
         !Rect{low.x, low.y, spec.width, spec.height}.contains(rect);
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

void view_wrapped(Universe& universe, const Rect& rect, std::int64_t scale, DensityImage& image) {
  const RuleSpec& spec = universe.spec();
  const Cell low = spec.origin();
  if (!goes_round(spec, rect)) {
    view_universe(universe, rect, scale, image);
    return;
  }
  image.reshape(ceil_div(rect.width, scale), ceil_div(rect.height, scale));
  const std::vector<Run> columns = runs_along(rect.x, image.width, low.x, spec.width, scale);
  const std::vector<Run> rows = runs_along(rect.y, image.height, low.y, spec.height, scale);
  DensityImage tile;
  for (const Run& down : stretches(rows, spec.height, scale)) {
    for (const Run& across : stretches(columns, spec.width, scale)) {
      const std::int64_t x = across.from * scale, y = down.from * scale;
      view_universe(universe,
                    {low.x + x, low.y + y, std::min(across.length * scale, spec.width - x),
                     std::min(down.length * scale, spec.height - y)},
                    scale, tile);
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

PixelSpans spans_of(const Universe& universe, const Rect& rect, std::int64_t scale) {
  const Cell low = universe.grid_origin();
  const BackendSpec& grid = universe.backend().spec();
  const bool round = goes_round(universe.spec(), rect);
  return {spans_along(rect.x - low.x, rect.width, grid.width, scale, round),
          spans_along(rect.y - low.y, rect.height, grid.height, scale, round)};
}

}  // namespace tessera
