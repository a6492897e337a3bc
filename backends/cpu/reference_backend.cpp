#include "backends/cpu/reference_backend.h"

#include <algorithm>
#include <utility>

#include "core/cells/state_hash.h"

namespace tessera {

ReferenceBackend::ReferenceBackend(const BackendSpec& spec, BackendInfo info)
    : StepBackend(spec, std::move(info)),
      cells_(static_cast<std::size_t>(spec.width * spec.height)),
      next_(cells_.size()) {}

std::int64_t ReferenceBackend::bytes_needed(const BackendSpec& spec) {
  return 2 * spec.width * spec.height;
}

void ReferenceBackend::do_upload(const BitGrid& grid) { do_edit({0, 0}, grid); }

void ReferenceBackend::do_edit(const Cell& to, const BitGrid& cells) {
  for (std::int64_t y = 0; y < cells.height(); y++) {
    for (std::int64_t x = 0; x < cells.width(); x++) at(to.x + x, to.y + y) = cells.get(x, y);
  }
}

// Neighbours by modular indexes on a torus, where a cell may be its own neighbour or count more
// than once; outside a plane there is nothing.
int ReferenceBackend::count_neighbours(std::int64_t x, std::int64_t y) const {
  const std::int64_t width = spec().width, height = spec().height;
  int count = 0;
  for (int dy = -1; dy <= 1; dy++) {
    for (int dx = -1; dx <= 1; dx++) {
      if (dx == 0 && dy == 0) continue;
      std::int64_t nx = x + dx, ny = y + dy;
      if (spec().boundary == Boundary::torus) {
        // One step beyond an edge at most.
        nx = nx < 0 ? nx + width : nx == width ? 0 : nx;
        ny = ny < 0 ? ny + height : ny == height ? 0 : ny;
      } else if (nx < 0 || ny < 0 || nx >= width || ny >= height) {
        continue;
      }
      count += cells_[ny * width + nx];
    }
  }
  return count;
}

void ReferenceBackend::do_step(std::int64_t generations) {
  for (std::int64_t g = 0; g < generations; g++) {
    for (std::int64_t y = 0; y < spec().height; y++) {
      for (std::int64_t x = 0; x < spec().width; x++) {
        next_[y * spec().width + x] = spec().rule.next(at(x, y), count_neighbours(x, y));
      }
    }
    cells_.swap(next_);
  }
}

BitGrid ReferenceBackend::do_download(const Rect& rect) {
  BitGrid out(rect.width, rect.height);
  for (std::int64_t y = 0; y < rect.height; y++) {
    for (std::int64_t x = 0; x < rect.width; x++) out.set(x, y, at(rect.x + x, rect.y + y));
  }
  return out;
}

void ReferenceBackend::do_view(const Rect& rect, std::int64_t scale, DensityImage& image) {
  for (std::int64_t py = 0; py < image.height; py++) {
    for (std::int64_t px = 0; px < image.width; px++) {
      std::int64_t live = 0, area = 0;
      for (std::int64_t y = py * scale; y < std::min((py + 1) * scale, rect.height); y++) {
        for (std::int64_t x = px * scale; x < std::min((px + 1) * scale, rect.width); x++) {
          live += at(rect.x + x, rect.y + y);
          area++;
        }
      }
      image.pixels[py * image.width + px] = density_grey(live, area);
    }
  }
}

std::int64_t ReferenceBackend::do_population() {
  return std::count(cells_.begin(), cells_.end(), std::uint8_t{1});
}

std::optional<Bounds> ReferenceBackend::do_bounds() {
  std::optional<Bounds> box;
  for (std::int64_t y = 0; y < spec().height; y++) {
    for (std::int64_t x = 0; x < spec().width; x++) {
      if (!at(x, y)) continue;
      if (!box) box = Bounds{x, y, x, y};
      *box = {std::min(box->xmin, x), box->ymin, std::max(box->xmax, x), y};
    }
  }
  return box;
}

std::uint64_t ReferenceBackend::do_hash(std::int64_t column0, std::int64_t row0) {
  return state_hash(download(), column0, row0);
}

}  // namespace tessera
