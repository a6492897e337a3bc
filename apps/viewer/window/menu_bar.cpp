#include "apps/viewer/window/menu_bar.h"

#include <imgui.h>

#include <string>
#include <string_view>

#include "apps/viewer/window/viewer.h"

namespace tessera {
namespace {

void draw_item(Viewer& viewer, const Action& action) {
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

void draw_recent_files(Workspace& work) {
  if (work.settings.recent.empty()) return;
  ImGui::Separator();
  std::string chosen;
  for (const std::string& path : work.settings.recent) {
    if (ImGui::MenuItem(path.c_str())) chosen = path;
  }
  if (!chosen.empty()) work.open(chosen);
}

}  // namespace

void MenuBar::draw(Viewer& viewer) {
  if (!ImGui::BeginMainMenuBar()) return;
  open_ = false;
  for (const std::string_view menu : kMenus) {
    const bool open = ImGui::BeginMenu(menu.data());
    viewer.work().places.note(menu.data());
    if (!open) continue;
    open_ = true;
    for (const Action& action : actions()) {
      if (action.menu == menu) draw_item(viewer, action);
    }
    if (menu == "File") draw_recent_files(viewer.work());
    ImGui::EndMenu();
  }
  ImGui::EndMainMenuBar();
}

}  // namespace tessera
