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
  const auto drag = [&](int side, int pixels, std::int64_t& first, std::int64_t& size) {
    if (side == 0) return;
    const std::int64_t from = side < 0 ? first : first + size;
    const auto [low, high] = ends(first, first + size, side, from + moved(pixels), scale.cells);
    first = low;
    size = high - low;
  };
  Rect out = cells;
  drag(grip.x, dx, out.x, out.width);
  drag(grip.y, dy, out.y, out.height);
  return out;
}

}  // namespace tessera
