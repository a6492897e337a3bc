#include "core/stepping/step_backend.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/stepping/rule_states.h"
#include "core/tiles/tile_device.h"
#include "core/tiles/tile_pool.h"

namespace tessera {

namespace {

constexpr std::int64_t kMostCounts = std::int64_t{1} << 18;  // of a band of a picture, 2 MiB

std::string size_text(std::int64_t width, std::int64_t height) {
  return std::to_string(width) + "x" + std::to_string(height);
}

}  // namespace

StepBackend::StepBackend(BackendSpec spec, BackendInfo info)
    : spec_(spec), info_(std::move(info)) {}

std::unique_ptr<TilePool> StepBackend::tiles() { return nullptr; }
std::unique_ptr<TileDevice> StepBackend::tile_device() { return nullptr; }
std::vector<Shard> StepBackend::write_shards(const ShardOrder&, const Cell&) { return {}; }

void StepBackend::check_rect(const Rect& rect, const char* what) const {
  // Written without sums that could overflow.
  const bool inside = rect.x >= 0 && rect.y >= 0 && rect.width >= 1 && rect.height >= 1 &&
                      rect.width <= spec_.width && rect.x <= spec_.width - rect.width &&
                      rect.height <= spec_.height && rect.y <= spec_.height - rect.height;
  if (!inside) {
    throw InputError(std::string(what) + ": the rectangle " + size_text(rect.width, rect.height) +
                     " at (" + std::to_string(rect.x) + ", " + std::to_string(rect.y) +
                     ") must not be empty and must lie inside the grid of " +
                     size_text(spec_.width, spec_.height));
  }
}

void StepBackend::upload(const CellGrid& cells) {
  if (cells.width() != spec_.width || cells.height() != spec_.height) {
    throw InputError("upload: a grid of " + size_text(cells.width(), cells.height()) +
                     " does not fit a backend of " + size_text(spec_.width, spec_.height));
  }
  check_states(spec_.rule, cells, "upload");
  do_upload(cells);
}

void StepBackend::fill(const Soup& soup) { fill(soup, 0, spec_.height, 0); }

void StepBackend::fill(const Soup& soup, std::int64_t y, std::int64_t rows, std::uint64_t index) {
  check_rect({0, y, spec_.width, rows}, "fill");
  check_states(spec_.rule, soup, "fill");
  do_fill(soup, y, rows, index);
}

void StepBackend::step(std::int64_t generations, bool odd) {
  if (generations < 0) {
    throw InputError("step: " + std::to_string(generations) +
                     " generations; 0 or more are accepted");
  }
  odd_ = odd;
  if (generations > 0) do_step(generations);
}

void StepBackend::synchronize() { do_synchronize(); }

CellGrid StepBackend::download() { return do_download({0, 0, spec_.width, spec_.height}); }

CellGrid StepBackend::download(const Rect& rect) {
  check_rect(rect, "download");
  return do_download(rect);
}

std::vector<CellGrid> StepBackend::download(std::span<const Rect> rects) {
  for (const Rect& rect : rects) check_rect(rect, "download");
  return do_downloads(rects);
}

std::vector<CellGrid> StepBackend::do_downloads(std::span<const Rect> rects) {
  std::vector<CellGrid> all;
  for (const Rect& rect : rects) all.push_back(do_download(rect));
  return all;
}

void StepBackend::edit(const Cell& at, const CellGrid& cells) {
  check_rect({at.x, at.y, cells.width(), cells.height()}, "edit");
  check_states(spec_.rule, cells, "edit");
  do_edit(at, cells);
}

bool StepBackend::slide(std::int64_t first, std::int64_t height) {
  if (height < 1 || !do_slide(first, height)) return false;
  spec_.height = height;
  return true;
}

Survey StepBackend::survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                           std::int64_t row0) {
  check_rect(rect, "survey");
  if (parts == SurveyParts{}) return {};
  return do_survey(rect, parts, column0, row0);
}

Survey StepBackend::survey(SurveyParts parts) {
  return survey({0, 0, spec_.width, spec_.height}, parts);
}

void StepBackend::check_view(const Rect& rect, std::int64_t& scale) const {
  check_rect(rect, "view");
  if (scale < 1)
    throw InputError("view: scale " + std::to_string(scale) + "; 1 or more is accepted");
  // A pixel never covers more than the rectangle: larger scales mean the same and could overflow.
  scale = std::min(scale, std::max(rect.width, rect.height));
}

void StepBackend::view(const Rect& rect, std::int64_t scale, CellCounts& counts) {
  check_view(rect, scale);
  counts.reshape(ceil_div(rect.width, scale), ceil_div(rect.height, scale));
  do_view(rect, scale, counts);
}

void StepBackend::view(const Rect& rect, std::int64_t scale, DensityImage& image) {
  check_view(rect, scale);
  image.reshape(ceil_div(rect.width, scale), ceil_div(rect.height, scale));
  const std::int64_t rows = std::max<std::int64_t>(1, kMostCounts / image.width);
  CellCounts counts;
  for (std::int64_t py = 0; py < image.height; py += rows) {
    const std::int64_t height =
        std::min(std::min(rows, image.height - py) * scale, rect.height - py * scale);
    const Rect band{rect.x, rect.y + py * scale, rect.width, height};
    counts.reshape(image.width, ceil_div(height, scale));
    do_view(band, scale, counts);
    shade(counts, rect.width, height, scale, image, py);
  }
}

std::optional<double> StepBackend::device_seconds() { return do_device_seconds(); }

void StepBackend::do_fill(const Soup& soup, std::int64_t y, std::int64_t rows,
                          std::uint64_t index) {
  do_edit({0, y}, make_soup_cells(soup, spec_.width, rows, spec_.rule.planes(), index));
}
std::optional<double> StepBackend::do_device_seconds() { return std::nullopt; }

}  // namespace tessera
