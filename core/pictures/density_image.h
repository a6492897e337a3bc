#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tessera {

/// A grey picture of cells, one byte per pixel, row-major, without padding: 0 is empty, 255 is
/// full.
struct DensityImage {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::vector<std::uint8_t> pixels;

  /// All pixels empty.
  void resize(std::int64_t w, std::int64_t h) {
    width = w;
    height = h;
    pixels.assign(static_cast<std::size_t>(w * h), 0);
  }
  /// For callers that write all pixels: their values are unspecified.
  void reshape(std::int64_t w, std::int64_t h) {
    width = w;
    height = h;
    pixels.resize(static_cast<std::size_t>(w * h));
  }
  bool operator==(const DensityImage&) const = default;
};

/// The grey of a pixel that covers `area` cells of which `live` are alive: the rounded share of
/// 255, but never 0 while a cell is alive. All backends use it, so that their pictures are
/// identical.
constexpr std::uint8_t density_grey(std::int64_t live, std::int64_t area) {
  if (live == 0) return 0;
  return static_cast<std::uint8_t>(std::max<std::int64_t>(1, (live * 255 + area / 2) / area));
}

}  // namespace tessera
