#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "apps/common/theme.h"
#include "apps/common/units.h"
#include "core/base/geometry.h"
#include "core/pictures/age_map.h"
#include "core/pictures/density_image.h"
#include "core/rules/rule.h"

namespace tessera {

class Universe;

/// Lines between cells are drawn where cells are at least so many pixels wide, in the window and in
/// pictures.
inline constexpr std::int64_t kGridPixels = 6;

/// What all frames of a series show: the same rectangle at the same scale.
struct FrameView {
  Rect cells;
  Scale scale;
  bool wrapped = false;  ///< whether a torus goes on beyond its edges (View::wrapped)

  std::int64_t width() const { return ceil_div(cells.width, scale.cells) * scale.pixels; }
  std::int64_t height() const { return ceil_div(cells.height, scale.cells) * scale.pixels; }
};

/// The colours of frames, as those of the window.
struct FrameLook {
  Theme theme = Theme::dark;
  bool ages = false;        ///< cells by age and trails of dead ones; otherwise live cells alone
  bool grid_lines = false;  ///< a pixel wide, at the left and the top of each cell
  Rule rule = kLife;        ///< without ages, cells by state where it is shown_by_state()

  /// Of the bytes that FramePainter draws.
  Palette palette() const;
};

/// "cells" is false, "age" is true. Throws InputError, naming `option`, for another word.
bool parse_colours(const std::string& option, const std::string& text);

/// Throws InputError, naming `option`, for cells that are too small for lines between them, or for
/// more states than there are colours beside those of the lines.
void check_grid_lines(const std::string& option, const Scale& scale, const FrameLook& look);

/// Draws the frames of a universe.
class FramePainter {
 public:
  /// The bytes of grid lines and of every tenth of them. No age and, where cells are so large, no
  /// density has them.
  static constexpr std::uint8_t kGrid = 65;
  static constexpr std::uint8_t kGridTen = 66;

  /// Under a rule that is shown_by_state(), frames without ages are states. Without a look, others
  /// are greys of the same brightness (visible_share): 255 is full. `ages`:
  /// those known already.
  FramePainter(const FrameView& view, const std::optional<FrameLook>& look, AgeMap ages = {});

  const FrameView& view() const { return view_; }
  const std::optional<FrameLook>& look() const { return look_; }
  /// True when every generation must be watched.
  bool has_ages() const { return look_ && look_->ages; }
  /// Adds a generation to the ages, if there are any; to be called after each single one. The next
  /// draw() is of this state.
  void watch(Universe& universe);
  /// The frame of the universe's present state, valid until the next call: bytes of the look's
  /// palette, or greys.
  const DensityImage& draw(Universe& universe);

 private:
  void see(Universe& universe);
  void enlarge(const DensityImage& from);
  void draw_grid();

  FrameView view_;
  std::optional<FrameLook> look_;
  AgeMap ages_;
  bool watched_ = false;  // cells_ is of the present state, and in ages_
  DensityImage cells_;
  DensityImage frame_;
};

}  // namespace tessera
