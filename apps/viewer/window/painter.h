#pragma once

#include <cstdint>
#include <optional>

#include "apps/viewer/simulation/camera.h"
#include "apps/viewer/simulation/recorder.h"
#include "apps/viewer/simulation/status.h"
#include "apps/viewer/window/imported_pictures.h"

namespace tessera {

/// The place of a camera's view in the window, in pixels.
struct Canvas {
  int x = 0, y = 0;  ///< from the window's top left
  int window_height = 0;
};

/// What cells look like.
struct CellColours {
  Palette inside{};
  Palette outside{};             ///< cells outside `universe`
  std::optional<Rect> universe;  ///< nothing: all are inside
};

/// Draws pictures of cells with OpenGL: the bytes are one texture, their colours another.
class Painter {
 public:
  /// Needs a current context. Throws DeviceError when a shader cannot be compiled.
  Painter();
  ~Painter();
  Painter(const Painter&) = delete;
  Painter& operator=(const Painter&) = delete;

  /// The device that draws, if pictures can stay on it; see ImportedPictures.
  const std::optional<DeviceIdentity>& device() const { return imported_.device(); }
  /// False when a picture that has stayed on the device cannot be drawn; device() is nothing from
  /// then on, and pictures must pass through the host.
  bool take(const Picture& picture);
  /// Fills the window with a colour, 0xAABBGGRR.
  void clear(int width, int height, std::uint32_t colour);
  /// Draws the camera's whole view: a picture in the place of its cells, and dead cells elsewhere,
  /// or everywhere without a picture. A picture is sent to the device once.
  void draw(const Picture* picture, const Camera& camera, const Canvas& canvas,
            const CellColours& colours);

 private:
  void upload(const Picture& picture);

  unsigned program_ = 0;
  unsigned vertices_ = 0;
  unsigned cells_ = 0;
  unsigned colours_ = 0;
  unsigned pixels_ = 0;  // a buffer on its way to the texture
  int place_ = -1;
  int inside_ = -1;
  ImportedPictures imported_;
  std::uint64_t serial_ = 0;
  std::int64_t width_ = 0;
  std::int64_t height_ = 0;
  Palette inside_colours_{};
  Palette outside_colours_{};
};

}  // namespace tessera
