#pragma once

#include <cstdint>
#include <optional>

#include "apps/common/units.h"
#include "core/base/geometry.h"

namespace tessera {

/// Which cells the window shows, and how large. All values are integers, so that a pixel always
/// covers whole cells or a cell whole pixels, and nothing is resampled.
///
/// Zoom has levels: level 0 is one pixel per cell; 1, 2, 3, ... are 2, 3, 4, 6, 8, 12, ... 64
/// pixels per cell, and -1, -2, ... as many cells per pixel. When cells share pixels, the pixels'
/// borders lie at multiples of the scale from the anchor (a bounded universe's top-left cell), so
/// that a picture does not flicker while it moves.
class Camera {
 public:
  static constexpr int kNearest = 11;    ///< 64 pixels per cell
  static constexpr int kFarthest = -61;  ///< 2^31 cells per pixel

  /// Cells per pixel and pixels per cell at a level; one of them is 1.
  static Scale scale_of(int level);

  /// Sets the size of the view in pixels, at least 1x1. The middle of the view stays in place.
  void resize(int width, int height);
  int width() const { return width_; }
  int height() const { return height_; }

  /// The cell whose corner pixel borders are counted from.
  void set_anchor(Cell anchor);

  int level() const { return level_; }
  Scale scale() const { return scale_of(level_); }

  /// Changes the level by `steps`, limited to the existing levels. The cell under the pixel stays
  /// under it, also after zooming out and in again.
  void zoom(int steps, int px, int py);
  /// Moves the view by this many pixels: positive values show more of the left and the top.
  void pan(std::int64_t dx, std::int64_t dy);
  /// Shows all of `cells` as large as possible, at most 32 pixels per cell, in the middle.
  void fit(const Rect& cells);
  /// Shows all of `cells`: leaves the view alone where they are in it already, moves it where that
  /// is enough, and otherwise zooms out, with some room for them to grow.
  void follow(const Rect& cells);
  /// Puts a cell in the middle.
  void center_on(Cell cell);

  /// The cell under a pixel; if there are several, the top-left one.
  Cell cell_at(int px, int py) const;
  /// The cells under a pixel: one, or a square of scale().cells per side.
  Rect cells_at(int px, int py) const;
  /// The place of a cell's top-left corner, in pixels.
  double x_of(std::int64_t x) const;
  double y_of(std::int64_t y) const;
  /// All cells that are at least partly visible.
  Rect visible() const;

  bool operator==(const Camera&) const = default;

 private:
  void settle();
  int level_for(const Rect& cells) const;

  int width_ = 1;
  int height_ = 1;
  int level_ = 3;
  Cell origin_{};  // under the top-left pixel
  Cell inside_{};  // which pixel of that cell it is; 0 when pixels hold several cells
  Cell anchor_{};
  Cell focus_{};  // of the last zoom
};

}  // namespace tessera
