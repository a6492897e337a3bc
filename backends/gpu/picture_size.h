#pragma once

#include <cstdint>

#include "core/pictures/age_map.h"

namespace tessera::gpu {

/// How large a picture by spans is, and what room is made for it.
struct PictureSize {
  std::int64_t columns = 0;  ///< pixels
  std::int64_t rows = 0;     ///< pixels

  static PictureSize of(const PixelSpans& pixels) {
    return {static_cast<std::int64_t>(pixels.columns.size()),
            static_cast<std::int64_t>(pixels.rows.size())};
  }
  std::int64_t pixels() const { return columns * rows; }
  std::int64_t spans() const { return columns + rows; }
  /// Some more columns and rows: a view that moves shows now one more, now one less.
  PictureSize with_spare() const { return {columns + 16, rows + 16}; }
};

}  // namespace tessera::gpu
