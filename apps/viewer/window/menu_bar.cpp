#include "apps/viewer/window/menu_bar.h"

#include <imgui.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "apps/viewer/window/menu_item.h"
#include "apps/viewer/window/toolbar.h"
#include "apps/viewer/window/viewer.h"

namespace tessera {
namespace {

// The first actions of groups, which a line sets off from those before.
constexpr std::string_view kGroups[] = {
    "open",  "save",         "screenshot",   "quit",      "cut",        "clear",
    "fill",  "select-all",   "rotate-right", "draw-tool", "step-more",  "faster",
    "go-to", "next-backend", "centre",       "grid",      "full-screen"};

void draw_recent_files(Workspace& work) {
  if (work.settings.recent.empty()) return;
  ImGui::Separator();
  ImGui::TextDisabled("Recent files");
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
      if (action.menu != menu) continue;
      if (std::ranges::count(kGroups, std::string_view(action.name)) > 0) ImGui::Separator();
      draw_menu_item(viewer, action);
    }
    if (menu == "File") draw_recent_files(viewer.work());
    ImGui::EndMenu();
  }
  draw_toolbar(viewer);
  ImGui::EndMainMenuBar();
}

}  // namespace tessera
