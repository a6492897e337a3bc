#include "apps/viewer/window/grip.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera {
namespace {

// -1 near `low`, 1 near `high`, 0 between them, nothing outside.
std::optional<int> side_of(double at, double low, double high, double reach) {
  const double within = std::min(reach, (high - low) / 3);
  if (at < low - reach || at > high + reach) return std::nullopt;
  if (at < low + within) return -1;
  return at > high - within ? 1 : 0;
}

// Low and high end of one direction, after one of them was dragged to `to`.
std::pair<std::int64_t, std::int64_t> ends(std::int64_t low, std::int64_t high, int side,
                                           std::int64_t to, std::int64_t least) {
  const std::int64_t fixed = side < 0 ? high : low;
  if (to == fixed) to += side * least;
  return std::minmax({fixed, to});
}

}  // namespace

std::optional<Grip> grip_at(const Camera& camera, const Rect& cells, int px, int py, int reach) {
  const auto x = side_of(px + 0.5, camera.x_of(cells.x), camera.x_of(cells.x + cells.width), reach);
  const auto y =
      side_of(py + 0.5, camera.y_of(cells.y), camera.y_of(cells.y + cells.height), reach);
  if (!x || !y || (*x == 0 && *y == 0)) return std::nullopt;
  return Grip{*x, *y};
}

Rect resized(const Camera& camera, const Rect& cells, const Grip& grip, int dx, int dy) {
  const Scale scale = camera.scale();
  // So many cells as the mouse has moved, to the nearest border.
  const auto moved = [&](int pixels) {
    return static_cast<std::int64_t>(std::llround(pixels * static_cast<double>(scale.cells) /
                                                  static_cast<double>(scale.pixels)));
  };
  Rect out = cells;
  if (grip.x != 0) {
    const std::int64_t from = grip.x < 0 ? cells.x : cells.x + cells.width;
    const auto [left, right] =
        ends(cells.x, cells.x + cells.width, grip.x, from + moved(dx), scale.cells);
    out.x = left;
    out.width = right - left;
  }
  if (grip.y != 0) {
    const std::int64_t from = grip.y < 0 ? cells.y : cells.y + cells.height;
    const auto [top, bottom] =
        ends(cells.y, cells.y + cells.height, grip.y, from + moved(dy), scale.cells);
    out.y = top;
    out.height = bottom - top;
  }
  return out;
}

}  // namespace tessera
