#include "apps/viewer/window/menu_item.h"

#include <fmt/format.h>
#include <imgui.h>

#include <string>

#include "apps/viewer/window/tooltip.h"
#include "apps/viewer/window/viewer.h"

namespace tessera {

void draw_menu_item(Viewer& viewer, const Action& action) {
  const std::string title = action.titled ? action.titled(viewer) : action.title;
  const bool checked = action.checked && action.checked(viewer);
  const bool enabled = !action.enabled || action.enabled(viewer);
  if (ImGui::MenuItem(title.c_str(), shown_key(action).c_str(), checked, enabled))
    viewer.perform(action);
  viewer.work().places.note(action.title);
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  // Beside the menu, so that no item is covered, where it has room there.
  const ImGuiStyle& style = ImGui::GetStyle();
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() + 4;
  const float wide = ImGui::CalcTextSize(action.help).x + 2 * style.WindowPadding.x;
  if (right + wide <= ImGui::GetIO().DisplaySize.x)
    ImGui::SetNextWindowPos({right, ImGui::GetItemRectMin().y - style.WindowPadding.y});
  show_tooltip(viewer.work(), action.help);
}

void draw_tooltip(Viewer& viewer, const Action& action) {
  show_tooltip(viewer.work(), fmt::format("{} ({})", action.help, shown_key(action)));
}

}  // namespace tessera
