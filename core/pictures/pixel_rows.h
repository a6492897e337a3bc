#pragma once

#include <cstdint>
#include <vector>

namespace tessera {

/// A value for each pixel of a picture, row-major, without padding.
template <class Value>
struct PixelRows {
  std::int64_t width = 0;   ///< pixels
  std::int64_t height = 0;  ///< pixels
  std::vector<Value> pixels;

  /// All values 0.
  void resize(std::int64_t w, std::int64_t h) {
    width = w;
    height = h;
    pixels.assign(static_cast<std::size_t>(w * h), Value{});
  }
  /// Leaves the values unspecified: for callers that write all of them.
  void reshape(std::int64_t w, std::int64_t h) {
    width = w;
    height = h;
    pixels.resize(static_cast<std::size_t>(w * h));
  }
  Value* row(std::int64_t y) { return pixels.data() + y * width; }
  const Value* row(std::int64_t y) const { return pixels.data() + y * width; }

  bool operator==(const PixelRows&) const = default;
};

}  // namespace tessera
