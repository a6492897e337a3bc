#include "apps/viewer/window/menu_bar.h"

#include <imgui.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "apps/viewer/window/menu_item.h"
#include "apps/viewer/window/toolbar.h"
#include "apps/viewer/window/tooltip.h"
#include "apps/viewer/window/viewer.h"

namespace tessera {
namespace {

// The first actions of groups, which a line sets off from those before.
constexpr std::string_view kGroups[] = {
    "open",  "save",         "screenshot",   "quit",      "cut",        "clear",
    "fill",  "select-all",   "rotate-right", "draw-tool", "step-more",  "faster",
    "go-to", "next-backend", "centre",       "grid",      "full-screen"};

// The path, or as much of its end as a menu has room for.
std::string shortened(const std::string& path, float room) {
  const auto wide = [](const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x; };
  if (wide(path) <= room) return path;
  std::size_t from = 0;
  while (from < path.size() && wide("\u2026" + path.substr(from)) > room) from++;
  while (from < path.size() && (path[from] & 0xc0) == 0x80) from++;  // within a character
  return "\u2026" + path.substr(from);
}

void draw_recent_files(Workspace& work) {
  std::vector<std::string>& recent = work.settings.recent;
  if (recent.empty()) return;
  ImGui::Separator();
  ImGui::TextDisabled("Recent files");
  std::string chosen;
  const float room = 260 * work.window.ui_scale();
  for (const std::string& path : recent) {
    const std::string shown = shortened(path, room);
    if (ImGui::MenuItem((shown + "###" + path).c_str())) chosen = path;
    work.places.note(path);
    if (shown != path && ImGui::IsItemHovered()) show_tooltip(work, path);
  }
  if (chosen.empty()) return;
  work.open(chosen);
  // It is not offered again, and the attempt to open it has said why.
  std::error_code unknown;
  if (!std::filesystem::exists(chosen, unknown)) std::erase(recent, chosen);
}

}  // namespace

std::span<const std::string_view> menu_groups() { return kGroups; }

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
  if (draw_toolbar(viewer)) open_ = true;
  ImGui::EndMainMenuBar();
}

}  // namespace tessera
