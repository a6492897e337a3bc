#include "apps/viewer/simulation/recorder.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"

namespace tessera {

namespace {
constexpr std::int64_t kMostPixels = 4096;
}

Recorder::Recorder(const std::string& path, const RecordingLook& look) : path_(path), look_(look) {
  const Rect& cells = look.view.cells;
  width_ = ceil_div(cells.width, look.view.scale) * look.zoom;
  height_ = ceil_div(cells.height, look.view.scale) * look.zoom;
  if (width_ > kMostPixels || height_ > kMostPixels) {
    throw InputError(fmt::format(
        "a video of {}x{} pixels; up to {} per side can be recorded; make the window smaller",
        width_, height_, kMostPixels));
  }
  VideoFormat format;
  format.width = width_;
  format.height = height_;
  format.frames_per_second = look.frames_per_second;
  format.colour = true;
  pipe_ = std::make_unique<VideoPipe>("recording", path, format);
}

void Recorder::add(const DensityImage& image) {
  bytes_.resize(static_cast<std::size_t>(3 * width_ * height_));
  std::uint8_t* to = bytes_.data();
  for (std::int64_t y = 0; y < height_; y++) {
    const std::uint8_t* row = image.pixels.data() + y / look_.zoom * image.width;
    for (std::int64_t x = 0; x < width_; x++, to += 3) {
      const std::uint32_t colour = look_.palette[row[x / look_.zoom]];
      to[0] = static_cast<std::uint8_t>(colour);
      to[1] = static_cast<std::uint8_t>(colour >> 8);
      to[2] = static_cast<std::uint8_t>(colour >> 16);
    }
  }
  pipe_->add(bytes_);
  frames_++;
}

void Recorder::finish() { pipe_->finish(); }

}  // namespace tessera
