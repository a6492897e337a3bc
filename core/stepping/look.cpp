#include "core/stepping/look.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace tessera {

Look::Look(std::int64_t width, std::int64_t height, MakeRoom make_room)
    : width_(width), height_(height), make_room_(std::move(make_room)) {}

void Look::check(const PixelSpans& pixels) const {
  const auto inside = [](const std::vector<PixelSpan>& spans, std::int64_t side) {
    return !spans.empty() && std::ranges::all_of(spans, [side](const PixelSpan& span) {
      return span.side > 0 && span.side <= kMostSpan && span.count <= span.side &&
             std::int64_t{span.first} + span.count <= side;
    });
  };
  if (inside(pixels.columns, width_) && inside(pixels.rows, height_)) return;
  throw InputError(
      "a view by spans: spans inside the grid with sides of 1 to 64 cells are accepted");
}

// Reuses the room of the picture before where that is large enough. False when there is none.
bool Look::aim(Kind& kind, const PixelSpans& pixels) {
  if (!kind.room || !kind.room->holds(pixels)) {
    if (begun_ == &kind) begun_ = nullptr;
    kind = {};
    kind.room = make_room_(pixels);
    if (!kind.room) return false;
  }
  kind.room->aim(pixels);
  kind.columns = static_cast<std::int64_t>(pixels.columns.size());
  kind.rows = static_cast<std::int64_t>(pixels.rows.size());
  return true;
}

bool Look::begin_greys(const PixelSpans& pixels, const std::optional<DeviceIdentity>& sharing) {
  check(pixels);
  if (!aim(greys_, pixels)) return false;
  greys_.room->begin_greys(sharing);
  begun_ = &greys_;
  return true;
}

bool Look::keep_ages(const PixelSpans& pixels, const std::vector<std::int16_t>& ages) {
  check(pixels);
  if (ages.size() != pixels.columns.size() * pixels.rows.size()) {
    throw InputError("keep_ages: " + std::to_string(ages.size()) +
                     " ages; one for each pixel is accepted");
  }
  if (!aim(ages_, pixels)) return false;
  ages_.room->put_ages(ages);
  return true;
}

LookRoom& Look::kept_ages() {
  if (!ages_.room) throw InputError("ages: none are kept; keep_ages comes first");
  return *ages_.room;
}

void Look::add_ages(std::int64_t generations) {
  LookRoom& room = kept_ages();
  if (generations < 0) {
    throw InputError("add_ages: " + std::to_string(generations) +
                     " generations; 0 or more are accepted");
  }
  room.add_ages(static_cast<int>(std::min<std::int64_t>(generations, AgeMap::kMost)));
}

void Look::begin_ages(const std::optional<DeviceIdentity>& sharing) {
  kept_ages().begin_ages(sharing);
  begun_ = &ages_;
}

std::vector<std::int16_t> Look::ages() {
  LookRoom& room = kept_ages();
  std::vector<std::int16_t> ages(static_cast<std::size_t>(ages_.columns * ages_.rows));
  room.take_ages(ages);
  return ages;
}

std::shared_ptr<const SharedPicture> Look::end(DensityImage& image) {
  if (!begun_) throw InputError("end: no picture was begun");
  const Kind& kind = *std::exchange(begun_, nullptr);
  image.reshape(kind.columns, kind.rows);
  std::shared_ptr<const SharedPicture> shared = kind.room->end(image);
  if (shared) image.pixels.clear();
  return shared;
}

}  // namespace tessera
