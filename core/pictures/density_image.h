#pragma once

#include <algorithm>
#include <cstdint>

#include "core/pictures/pixel_rows.h"

namespace tessera {

/// A grey picture of cells, one byte per pixel: 0 is empty, 255 is full.
struct DensityImage : PixelRows<std::uint8_t> {};

/// The grey of a pixel that covers `area` cells of which `live` are alive: the rounded share of
/// 255, but never 0 while a cell is alive. All backends use it, so that their pictures are
/// identical.
constexpr std::uint8_t density_grey(std::int64_t live, std::int64_t area) {
  if (live == 0) return 0;
  return static_cast<std::uint8_t>(std::max<std::int64_t>(1, (live * 255 + area / 2) / area));
}

}  // namespace tessera
