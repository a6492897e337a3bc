#include "apps/viewer/window/overlay.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "apps/common/frame_painter.h"

namespace tessera {
namespace {

constexpr std::int64_t kMostFloating = 20000;  // floating cells drawn one by one

std::uint32_t with_alpha(std::uint32_t colour, std::uint32_t alpha) {
  return (colour & 0xffffff) | alpha << 24;
}

struct Box {
  float left, top, right, bottom;
};

// Draws on one frame's cells.
class Overlay {
 public:
  explicit Overlay(const Workspace& work)
      : work_(work),
        list_(*ImGui::GetBackgroundDrawList()),
        colours_(colours_of(work.settings.theme)),
        ratio_(work.window.pixel_ratio()) {
    const auto units = [&](int pixels) { return static_cast<float>(pixels / ratio_); };
    const SDL_Point at = work.canvas;
    list_.PushClipRect({units(at.x), units(at.y)},
                       {units(at.x + work.camera.width()), units(at.y + work.camera.height())});
  }
  ~Overlay() { list_.PopClipRect(); }
  Overlay(const Overlay&) = delete;
  Overlay& operator=(const Overlay&) = delete;

  void edge(const RuleSpec& rule) const;
  void grid() const;
  void selection(const Rect& cells, bool handles) const;
  void floating(const CellGrid& cells, const Rect& rect) const;

 private:
  // The places of cells in the window, in its own units.
  Box box_of(const Rect& cells) const;

  const Workspace& work_;
  ImDrawList& list_;
  const ThemeColours& colours_;
  double ratio_;
};

Box Overlay::box_of(const Rect& cells) const {
  const auto x = [&](std::int64_t at) {
    return static_cast<float>((std::clamp(work_.camera.x_of(at), -1e5, 1e5) + work_.canvas.x) /
                              ratio_);
  };
  const auto y = [&](std::int64_t at) {
    return static_cast<float>((std::clamp(work_.camera.y_of(at), -1e5, 1e5) + work_.canvas.y) /
                              ratio_);
  };
  return {x(cells.x), y(cells.y), x(cells.x + cells.width), y(cells.y + cells.height)};
}

// Just outside the universe, so that no cell is covered.
void Overlay::edge(const RuleSpec& rule) const {
  const Box in = box_of(rule.cells());
  list_.AddRect({in.left - 0.5f, in.top - 0.5f}, {in.right + 0.5f, in.bottom + 0.5f},
                with_alpha(colours_.border, 0xb0));
}

// Every tenth line is stronger and lies over the others.
void Overlay::grid() const {
  const Rect seen = work_.camera.visible();
  const Box all = box_of(seen);
  for (const bool ten : {false, true}) {
    const std::uint32_t colour = ten ? colours_.grid_ten : colours_.grid;
    for (std::int64_t x = seen.x; x <= seen.x + seen.width; x++) {
      if ((floor_mod(x, 10) == 0) != ten) continue;
      const float at = box_of({x, 0, 1, 1}).left;
      list_.AddRectFilled({at, all.top}, {at + 1, all.bottom}, colour);
    }
    for (std::int64_t y = seen.y; y <= seen.y + seen.height; y++) {
      if ((floor_mod(y, 10) == 0) != ten) continue;
      const float at = box_of({0, y, 1, 1}).top;
      list_.AddRectFilled({all.left, at}, {all.right, at + 1}, colour);
    }
  }
}

// Handles show where it can be resized.
void Overlay::selection(const Rect& cells, bool handles) const {
  const Box box = box_of(cells);
  list_.AddRectFilled({box.left, box.top}, {box.right, box.bottom},
                      with_alpha(colours_.selection, 0x24));
  list_.AddRect({box.left, box.top}, {box.right, box.bottom}, colours_.selection, 0, 0, 1.5f);
  const float half = std::round(3 * work_.window.ui_scale());
  if (!handles || std::min(box.right - box.left, box.bottom - box.top) < 6 * half) return;
  const float xs[] = {box.left, (box.left + box.right) / 2, box.right};
  const float ys[] = {box.top, (box.top + box.bottom) / 2, box.bottom};
  for (int i = 0; i < 9; i++) {
    if (i == 4) continue;
    const float x = xs[i % 3], y = ys[i / 3];
    list_.AddRectFilled({x - half, y - half}, {x + half, y + half}, colours_.selection);
  }
}

// Few enough cells are shown; for more, the box is enough.
void Overlay::floating(const CellGrid& cells, const Rect& rect) const {
  const Box box = box_of(rect);
  list_.AddRectFilled({box.left, box.top}, {box.right, box.bottom},
                      with_alpha(colours_.selection, 0x18));
  list_.AddRect({box.left, box.top}, {box.right, box.bottom}, colours_.selection);
  const auto dead_word = [&cells](std::int64_t x, std::int64_t y) {
    for (int p = 0; p < cells.planes(); p++) {
      if (cells.plane(p).row(y)[x / 64] != 0) return false;
    }
    return true;
  };
  std::int64_t drawn = 0;
  for (std::int64_t y = 0; y < rect.height && drawn < kMostFloating; y++) {
    for (std::int64_t x = 0; x < rect.width && drawn < kMostFloating; x++) {
      if (dead_word(x, y)) {
        x |= 63;
        continue;
      }
      if (cells.state(x, y) == 0) continue;
      const Box cell = box_of({rect.x + x, rect.y + y, 1, 1});
      list_.AddRectFilled(
          {cell.left, cell.top},
          {std::max(cell.right, cell.left + 1), std::max(cell.bottom, cell.top + 1)},
          with_alpha(colours_.selection, 0xd0));
      drawn++;
    }
  }
}

}  // namespace

void draw_overlay(const Workspace& work, const Mouse& mouse) {
  const Overlay overlay(work);
  if (work.status.rule.has_edges()) overlay.edge(work.status.rule);
  if (work.settings.grid && work.camera.scale().pixels >= kGridPixels) overlay.grid();
  if (const std::optional<Rect> cells = mouse.selection())
    overlay.selection(*cells, mouse.tool_now() == Tool::select);
  if (mouse.floating()) overlay.floating(*mouse.floating(), mouse.floating_rect());
}

}  // namespace tessera
