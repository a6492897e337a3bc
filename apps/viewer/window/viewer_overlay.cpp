// What lies on the cells: grid lines, the universe's edge, selection, floating cells, messages.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "apps/viewer/window/viewer.h"

namespace tessera {
namespace {

constexpr std::int64_t kGridPixels = 6;
constexpr std::int64_t kMostFloating = 20000;  // floating cells drawn one by one

std::uint32_t with_alpha(std::uint32_t colour, std::uint32_t alpha) {
  return (colour & 0xffffff) | alpha << 24;
}

struct Box {
  float left, top, right, bottom;
};

// Where cells lie in the window, in its own units.
Box box_of(const Rect& cells, const Camera& camera, SDL_Point canvas, double ratio) {
  const auto x = [&](std::int64_t at) {
    return static_cast<float>((std::clamp(camera.x_of(at), -1e5, 1e5) + canvas.x) / ratio);
  };
  const auto y = [&](std::int64_t at) {
    return static_cast<float>((std::clamp(camera.y_of(at), -1e5, 1e5) + canvas.y) / ratio);
  };
  return {x(cells.x), y(cells.y), x(cells.x + cells.width), y(cells.y + cells.height)};
}

}  // namespace

void Viewer::draw_overlay() {
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  const double ratio = window_.pixel_ratio();
  const auto units = [&](int pixels) { return static_cast<float>(pixels / ratio); };
  list.PushClipRect({units(canvas_.x), units(canvas_.y)},
                    {units(canvas_.x + camera_.width()), units(canvas_.y + camera_.height())});
  draw_border();
  if (settings_.grid && camera_.scale().pixels >= kGridPixels) draw_grid();
  const ThemeColours& colours = colours_of(settings_.theme);
  const auto outline = [&](const Rect& cells, bool filled) {
    const Box box = box_of(cells, camera_, canvas_, ratio);
    if (filled) {
      list.AddRectFilled({box.left, box.top}, {box.right, box.bottom},
                         with_alpha(colours.selection, 0x24));
    }
    list.AddRect({box.left, box.top}, {box.right, box.bottom}, colours.selection, 0, 0, 1.5f);
  };
  if (new_selection_) {
    outline(*new_selection_, true);
  } else if (status_.selection) {
    Rect shown = *status_.selection;
    if (drag_ == Drag::move) {
      shown.x += drag_now_.x - drag_cell_.x;
      shown.y += drag_now_.y - drag_cell_.y;
    }
    outline(shown, true);
  }
  if (floating_) draw_floating();
  list.PopClipRect();
}

// The universe's edge.
void Viewer::draw_border() {
  const RuleSpec& rule = status_.rule;
  if (!rule.bounded()) return;
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  const ThemeColours& colours = colours_of(settings_.theme);
  const double ratio = window_.pixel_ratio();
  const Box in =
      box_of({rule.origin().x, rule.origin().y, rule.width, rule.height}, camera_, canvas_, ratio);
  // Just outside, so that no cell is covered.
  list.AddRect({in.left - 0.5f, in.top - 0.5f}, {in.right + 0.5f, in.bottom + 0.5f},
               with_alpha(colours.border, 0xb0));
}

void Viewer::draw_grid() {
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  const ThemeColours& colours = colours_of(settings_.theme);
  const double ratio = window_.pixel_ratio();
  const Rect seen = camera_.visible();
  const Box all = box_of(seen, camera_, canvas_, ratio);
  // Every tenth line stands out, and lies over the others.
  for (const bool ten : {false, true}) {
    const std::uint32_t colour = ten ? colours.grid_ten : colours.grid;
    for (std::int64_t x = seen.x; x <= seen.x + seen.width; x++) {
      if ((floor_mod(x, 10) == 0) != ten) continue;
      const float at = box_of({x, 0, 1, 1}, camera_, canvas_, ratio).left;
      list.AddRectFilled({at, all.top}, {at + 1, all.bottom}, colour);
    }
    for (std::int64_t y = seen.y; y <= seen.y + seen.height; y++) {
      if ((floor_mod(y, 10) == 0) != ten) continue;
      const float at = box_of({0, y, 1, 1}, camera_, canvas_, ratio).top;
      list.AddRectFilled({all.left, at}, {all.right, at + 1}, colour);
    }
  }
}

void Viewer::draw_floating() {
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  const ThemeColours& colours = colours_of(settings_.theme);
  const double ratio = window_.pixel_ratio();
  const Cell at = camera_.cell_at(pointer_.x, pointer_.y);
  const Rect rect{at.x - floating_->width() / 2, at.y - floating_->height() / 2, floating_->width(),
                  floating_->height()};
  const Box box = box_of(rect, camera_, canvas_, ratio);
  list.AddRectFilled({box.left, box.top}, {box.right, box.bottom},
                     with_alpha(colours.selection, 0x18));
  list.AddRect({box.left, box.top}, {box.right, box.bottom}, colours.selection);
  // Few enough cells are shown; of more the box is enough.
  std::int64_t drawn = 0;
  for (std::int64_t y = 0; y < rect.height && drawn < kMostFloating; y++) {
    for (std::int64_t x = 0; x < rect.width && drawn < kMostFloating; x++) {
      if (floating_->row(y)[x / 64] == 0) {
        x |= 63;
        continue;
      }
      if (!floating_->get(x, y)) continue;
      const Box cell = box_of({rect.x + x, rect.y + y, 1, 1}, camera_, canvas_, ratio);
      list.AddRectFilled({cell.left, cell.top},
                         {std::max(cell.right, cell.left + 1), std::max(cell.bottom, cell.top + 1)},
                         with_alpha(colours.selection, 0xd0));
      drawn++;
    }
  }
}

void Viewer::draw_toasts() {
  const ImGuiStyle& style = ImGui::GetStyle();
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const float width = static_cast<float>(camera_.width() / window_.pixel_ratio());
  float bottom = size.y - ImGui::GetFrameHeight() - 16;
  for (std::size_t i = toasts_.size(); i-- > 0;) {
    const Toast& toast = toasts_[i];
    ImGui::SetNextWindowPos({12, bottom}, ImGuiCond_Always, {0, 1});
    ImGui::SetNextWindowSizeConstraints({0, 0}, {std::max(200.0f, width - 24), size.y});
    if (toast.message.error)
      ImGui::PushStyleColor(ImGuiCol_WindowBg, ImVec4(0.55f, 0.12f, 0.12f, 0.96f));
    if (toast.message.error) ImGui::PushStyleColor(ImGuiCol_Text, ImVec4(1, 1, 1, 1));
    ImGui::Begin(fmt::format("##toast{}", i).c_str(), nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs |
                     ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing |
                     ImGuiWindowFlags_NoNav);
    ImGui::PushTextWrapPos(std::max(180.0f, width - 60));
    ImGui::TextUnformatted(toast.message.text.c_str());
    ImGui::PopTextWrapPos();
    bottom -= ImGui::GetWindowHeight() + style.ItemSpacing.y;
    ImGui::End();
    if (toast.message.error) ImGui::PopStyleColor(2);
  }
}

}  // namespace tessera
