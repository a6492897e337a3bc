#include "core/stepping/step_backend.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace tessera {

namespace {

std::string size_text(std::int64_t width, std::int64_t height) {
  return std::to_string(width) + "x" + std::to_string(height);
}

}  // namespace

StepBackend::StepBackend(BackendSpec spec, BackendInfo info)
    : spec_(spec), info_(std::move(info)) {}

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

void StepBackend::upload(const BitGrid& grid) {
  if (grid.width() != spec_.width || grid.height() != spec_.height) {
    throw InputError("upload: a grid of " + size_text(grid.width(), grid.height()) +
                     " does not fit a backend of " + size_text(spec_.width, spec_.height));
  }
  do_upload(grid);
}

void StepBackend::fill(const Soup& soup) { do_fill(soup); }

void StepBackend::step(std::int64_t generations) {
  if (generations < 0) {
    throw InputError("step: " + std::to_string(generations) +
                     " generations; 0 or more are accepted");
  }
  if (generations > 0) do_step(generations);
}

void StepBackend::synchronize() { do_synchronize(); }

BitGrid StepBackend::download() { return do_download({0, 0, spec_.width, spec_.height}); }

BitGrid StepBackend::download(const Rect& rect) {
  check_rect(rect, "download");
  return do_download(rect);
}

void StepBackend::edit(const Cell& at, const BitGrid& cells) {
  check_rect({at.x, at.y, cells.width(), cells.height()}, "edit");
  do_edit(at, cells);
}

void StepBackend::view(const Rect& rect, std::int64_t scale, DensityImage& image) {
  check_rect(rect, "view");
  if (scale < 1)
    throw InputError("view: scale " + std::to_string(scale) + "; 1 or more is accepted");
  // A pixel never covers more than the rectangle: larger scales mean the same and could overflow.
  scale = std::min(scale, std::max(rect.width, rect.height));
  image.reshape(ceil_div(rect.width, scale), ceil_div(rect.height, scale));
  do_view(rect, scale, image);
}

void StepBackend::check_spans(const PixelSpans& pixels) const {
  const auto inside = [](const std::vector<PixelSpan>& spans, std::int64_t side) {
    return !spans.empty() && std::ranges::all_of(spans, [side](const PixelSpan& span) {
      return span.side > 0 && span.side <= kMostSpan && span.count <= span.side &&
             std::int64_t{span.first} + span.count <= side;
    });
  };
  if (inside(pixels.columns, spec_.width) && inside(pixels.rows, spec_.height)) return;
  throw InputError(
      "a view by spans: spans inside the grid with sides of 1 to 64 cells are accepted");
}

bool StepBackend::begin_view(const PixelSpans& pixels,
                             const std::optional<DeviceIdentity>& sharing) {
  check_spans(pixels);
  do_share(sharing);
  if (!do_begin_view(pixels)) return false;
  view_columns_ = static_cast<std::int64_t>(pixels.columns.size());
  view_rows_ = static_cast<std::int64_t>(pixels.rows.size());
  return true;
}

bool StepBackend::keep_ages(const PixelSpans& pixels, const std::vector<std::int16_t>& ages) {
  check_spans(pixels);
  if (ages.size() != pixels.columns.size() * pixels.rows.size()) {
    throw InputError("keep_ages: " + std::to_string(ages.size()) +
                     " ages; one for each pixel is accepted");
  }
  age_columns_ = age_rows_ = 0;
  if (!do_keep_ages(pixels, ages)) return false;
  age_columns_ = static_cast<std::int64_t>(pixels.columns.size());
  age_rows_ = static_cast<std::int64_t>(pixels.rows.size());
  return true;
}

void StepBackend::check_ages() const {
  if (age_columns_ == 0) throw InputError("ages: none are kept; keep_ages comes first");
}

void StepBackend::add_ages(std::int64_t generations) {
  check_ages();
  if (generations < 0)
    throw InputError("add_ages: " + std::to_string(generations) +
                     " generations; 0 or more are accepted");
  do_add_ages(static_cast<int>(std::min<std::int64_t>(generations, AgeMap::kMost)));
}

void StepBackend::begin_view_ages(const std::optional<DeviceIdentity>& sharing) {
  check_ages();
  do_share(sharing);
  do_begin_view_ages();
  view_columns_ = age_columns_;
  view_rows_ = age_rows_;
}

std::shared_ptr<const SharedPicture> StepBackend::end_view(DensityImage& image) {
  if (view_columns_ == 0) throw InputError("end_view: no look was begun");
  std::shared_ptr<const SharedPicture> shared = do_end_shared_view();
  if (shared) {
    image = {view_columns_, view_rows_, {}};
  } else {
    image.reshape(view_columns_, view_rows_);
    do_end_view(image);
  }
  view_columns_ = view_rows_ = 0;
  return shared;
}

std::vector<std::int16_t> StepBackend::ages() {
  check_ages();
  std::vector<std::int16_t> ages(static_cast<std::size_t>(age_columns_ * age_rows_));
  do_ages(ages);
  return ages;
}

std::int64_t StepBackend::population() { return do_population(); }
std::optional<Bounds> StepBackend::bounds() { return do_bounds(); }
std::uint64_t StepBackend::hash(std::int64_t column0, std::int64_t row0) {
  return do_hash(column0, row0);
}
std::optional<double> StepBackend::device_seconds() { return do_device_seconds(); }

void StepBackend::do_fill(const Soup& soup) {
  do_upload(make_soup(soup, spec_.width, spec_.height));
}
bool StepBackend::do_begin_view(const PixelSpans&) { return false; }
bool StepBackend::do_keep_ages(const PixelSpans&, const std::vector<std::int16_t>&) {
  return false;
}
void StepBackend::do_add_ages(int) {}
void StepBackend::do_begin_view_ages() {}
void StepBackend::do_end_view(DensityImage&) {}
void StepBackend::do_share(const std::optional<DeviceIdentity>&) {}
std::shared_ptr<const SharedPicture> StepBackend::do_end_shared_view() { return nullptr; }
void StepBackend::do_ages(std::vector<std::int16_t>&) {}
std::optional<double> StepBackend::do_device_seconds() { return std::nullopt; }

}  // namespace tessera
