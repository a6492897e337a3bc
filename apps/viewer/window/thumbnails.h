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

  /// To be called before the first texture of a frame: in another theme, and above kMost of them,
  /// all are made anew.
  void begin(Theme theme);
  /// The texture of a picture in the theme's colours, for Dear ImGui to draw in this frame.
  void* texture(const std::string& name, const DensityImage& image);
  void clear();

 private:
  static constexpr std::size_t kMost = 1000;

  Theme theme_ = Theme::dark;
  std::unordered_map<std::string, std::uint32_t> textures_;
};

}  // namespace tessera
