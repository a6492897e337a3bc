#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "apps/common/theme.h"
#include "core/pictures/density_image.h"

namespace tessera {

/// Small pictures as textures of OpenGL, kept by name: each is sent to the device once. Needs a
/// current context as long as it lives.
class Thumbnails {
 public:
  Thumbnails() = default;
  ~Thumbnails() { clear(); }
  Thumbnails(const Thumbnails&) = delete;
  Thumbnails& operator=(const Thumbnails&) = delete;

  /// The texture of a picture in a theme's colours, for Dear ImGui to draw in this frame. In
  /// another theme, and above kMost of them, all are made anew.
  void* texture(const std::string& name, const DensityImage& image, Theme theme);
  void clear();

 private:
  static constexpr std::size_t kMost = 1000;

  Theme theme_ = Theme::dark;
  std::unordered_map<std::string, std::uint32_t> textures_;
};

}  // namespace tessera
