#include "apps/viewer/simulation/camera.h"

#include <algorithm>
#include <cstdlib>

#include "core/cells/cell_runs.h"

namespace tessera {
namespace {

constexpr std::int64_t kLimit = kMaxCoordinate / 2;
constexpr int kFitLevel = 9;  // 32 pixels per cell

// Along one side: the cell and the pixel within it that lie `pixels` right of (cell, inside).
struct Place {
  std::int64_t cell;
  std::int64_t inside;
};

Place moved(std::int64_t cell, std::int64_t inside, std::int64_t pixels, const Scale& scale) {
  if (scale.cells > 1) return {cell + pixels * scale.cells, 0};
  const std::int64_t at = inside + pixels;
  return {cell + floor_div(at, scale.pixels), floor_mod(at, scale.pixels)};
}

// The start of a view in which `pixel` shows `cell`, at the same share of it as before.
Place start_for(const Place& under, const Scale& before, const Scale& after, int pixel) {
  if (after.cells > 1) return {under.cell - pixel * after.cells, 0};
  // In the middle of the cell when the pixel held several.
  const std::int64_t share = before.cells > 1
                                 ? after.pixels / 2
                                 : (2 * under.inside + 1) * after.pixels / (2 * before.pixels);
  return moved(under.cell, share, -pixel, after);
}

}  // namespace

Scale Camera::scale_of(int level) {
  const int n = std::abs(level);
  const std::int64_t size = n == 0       ? 1
                            : n % 2 == 1 ? std::int64_t{1} << (n + 1) / 2
                                         : std::int64_t{3} << (n / 2 - 1);
  return level < 0 ? Scale{size, 1} : Scale{1, size};
}

void Camera::settle() {
  const Scale s = scale();
  for (std::int64_t* at : {&origin_.x, &origin_.y}) *at = std::clamp(*at, -kLimit, kLimit);
  if (s.cells > 1) {
    origin_.x -= floor_mod(origin_.x - anchor_.x, s.cells);
    origin_.y -= floor_mod(origin_.y - anchor_.y, s.cells);
    inside_ = {};
  }
}

void Camera::resize(int width, int height) {
  width = std::max(1, width);
  height = std::max(1, height);
  pan((width - width_) / 2, (height - height_) / 2);
  width_ = width;
  height_ = height;
}

void Camera::set_anchor(Cell anchor) {
  anchor_ = anchor;
  settle();
}

void Camera::zoom(int steps, int px, int py) {
  const int level = std::clamp(level_ + steps, kFarthest, kNearest);
  const Scale before = scale(), after = scale_of(level);
  Place under_x = moved(origin_.x, inside_.x, px, before),
        under_y = moved(origin_.y, inside_.y, py, before);
  // If several cells are under the pixel, the one of the last zoom.
  const Cell offset{focus_.x - under_x.cell, focus_.y - under_y.cell};
  if (offset.x >= 0 && offset.x < before.cells && offset.y >= 0 && offset.y < before.cells) {
    under_x.cell = focus_.x;
    under_y.cell = focus_.y;
  }
  focus_ = {under_x.cell, under_y.cell};
  const Place x = start_for(under_x, before, after, px);
  const Place y = start_for(under_y, before, after, py);
  level_ = level;
  origin_ = {x.cell, y.cell};
  inside_ = {x.inside, y.inside};
  settle();
}

void Camera::pan(std::int64_t dx, std::int64_t dy) {
  const Place x = moved(origin_.x, inside_.x, -dx, scale());
  const Place y = moved(origin_.y, inside_.y, -dy, scale());
  origin_ = {x.cell, y.cell};
  inside_ = {x.inside, y.inside};
  settle();
}

// The nearest level that shows all of the cells.
int Camera::level_for(const Rect& cells) const {
  const auto fits = [&](int level) {
    const Scale s = scale_of(level);
    const auto side = [&](std::int64_t size, int room) {
      return s.cells > 1 ? ceil_div(size, s.cells) <= room : size <= room / s.pixels;
    };
    return side(cells.width, width_) && side(cells.height, height_);
  };
  int level = kFitLevel;
  while (level > kFarthest && !fits(level)) level--;
  return level;
}

void Camera::fit(const Rect& cells) {
  level_ = level_for(cells);
  center_on({cells.x + cells.width / 2, cells.y + cells.height / 2});
}

void Camera::follow(const Rect& cells) {
  if (visible().contains(cells)) return;
  const std::int64_t room = 1 + std::max(cells.width, cells.height) / 16;
  const Rect roomy{cells.x - room, cells.y - room, cells.width + 2 * room, cells.height + 2 * room};
  level_ = std::min(level_, level_for(roomy));
  center_on({cells.x + cells.width / 2, cells.y + cells.height / 2});
}

void Camera::center_on(Cell cell) {
  const Place x = moved(cell.x, 0, -(width_ / 2), scale());
  const Place y = moved(cell.y, 0, -(height_ / 2), scale());
  origin_ = {x.cell, y.cell};
  inside_ = {x.inside, y.inside};
  settle();
}

Cell Camera::cell_at(int px, int py) const {
  return {moved(origin_.x, inside_.x, px, scale()).cell,
          moved(origin_.y, inside_.y, py, scale()).cell};
}

Rect Camera::cells_at(int px, int py) const {
  const Cell cell = cell_at(px, py);
  return {cell.x, cell.y, scale().cells, scale().cells};
}

double Camera::x_of(std::int64_t x) const {
  const Scale s = scale();
  return static_cast<double>(x - origin_.x) * static_cast<double>(s.pixels) /
             static_cast<double>(s.cells) -
         static_cast<double>(inside_.x);
}

double Camera::y_of(std::int64_t y) const {
  const Scale s = scale();
  return static_cast<double>(y - origin_.y) * static_cast<double>(s.pixels) /
             static_cast<double>(s.cells) -
         static_cast<double>(inside_.y);
}

Rect Camera::visible() const {
  const Scale s = scale();
  if (s.cells > 1) return {origin_.x, origin_.y, width_ * s.cells, height_ * s.cells};
  return {origin_.x, origin_.y, ceil_div(width_ + inside_.x, s.pixels),
          ceil_div(height_ + inside_.y, s.pixels)};
}

}  // namespace tessera
