#pragma once

#include <algorithm>
#include <cstdint>

namespace tessera {

/// A cell's position; x runs right, y runs down. Coordinates are absolute in the universe, as in
/// Golly, or relative to a grid's top-left cell where a function says so.
struct Cell {
  std::int64_t x = 0;
  std::int64_t y = 0;
  bool operator==(const Cell&) const = default;
};

/// A half-open rectangle of cells: columns x .. x+width-1, rows y .. y+height-1.
struct Rect {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;
  bool operator==(const Rect&) const = default;
  bool empty() const { return width <= 0 || height <= 0; }
  bool contains(const Rect& r) const {
    return r.x >= x && r.y >= y && r.x + r.width <= x + width && r.y + r.height <= y + height;
  }
  /// The cells that lie in both; empty() when there are none.
  Rect common(const Rect& r) const {
    const std::int64_t left = std::max(x, r.x), top = std::max(y, r.y);
    return {left, top, std::min(x + width, r.x + r.width) - left,
            std::min(y + height, r.y + r.height) - top};
  }
};

/// Smallest box around the live cells, inclusive: [xmin, ymin, xmax, ymax].
struct Bounds {
  std::int64_t xmin = 0;
  std::int64_t ymin = 0;
  std::int64_t xmax = 0;
  std::int64_t ymax = 0;
  bool operator==(const Bounds&) const = default;
  Rect rect() const { return {xmin, ymin, xmax - xmin + 1, ymax - ymin + 1}; }
  Bounds shifted(std::int64_t dx, std::int64_t dy) const {
    return {xmin + dx, ymin + dy, xmax + dx, ymax + dy};
  }
};

/// Division that rounds towards minus infinity; b > 0.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

/// The remainder that matches floor_div: always in 0 .. b-1.
constexpr std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
  const std::int64_t r = a % b;
  return r < 0 ? r + b : r;
}

/// a / b rounded up; a >= 0, b > 0.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

}  // namespace tessera
