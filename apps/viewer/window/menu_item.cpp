#include "apps/viewer/window/menu_item.h"

#include <imgui.h>

#include <string>

#include "apps/viewer/window/viewer.h"

namespace tessera {

void draw_menu_item(Viewer& viewer, const Action& action) {
  const std::string title = action.titled ? action.titled(viewer) : action.title;
  const bool checked = action.checked && action.checked(viewer);
  const bool enabled = !action.enabled || action.enabled(viewer);
  if (ImGui::MenuItem(title.c_str(), shown_key(action).c_str(), checked, enabled))
    viewer.perform(action);
  viewer.work().places.note(action.title);
  if (!ImGui::IsItemHovered()) return;
  // Beside the menu, so that no item is covered.
  ImGui::SetNextWindowPos({ImGui::GetWindowPos().x + ImGui::GetWindowWidth() + 4,
                           ImGui::GetItemRectMin().y - ImGui::GetStyle().WindowPadding.y});
  ImGui::SetTooltip("%s", action.help);
}

void draw_tooltip(const Action& action) {
  ImGui::SetTooltip("%s (%s)", action.help, shown_key(action).c_str());
}

}  // namespace tessera
