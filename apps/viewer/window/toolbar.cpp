#include "apps/viewer/window/toolbar.h"

#include <fmt/format.h>
#include <imgui.h>

#include <iterator>
#include <string_view>

#include "apps/viewer/window/menu_item.h"
#include "apps/viewer/window/viewer.h"

namespace tessera {
namespace {

struct ToolButton {
  const char* action;
  const char* title;
  bool first;  // of a group, which a line sets off from the one before
};
constexpr const char* kMore = "More";
constexpr ToolButton kTools[] = {{"run", "Run", true},
                                 {"step", "Step", false},
                                 {"step-back", "Back", false},
                                 {"draw-tool", "Draw", true},
                                 {"select-tool", "Select", false},
                                 {"pan-tool", "Pan", false},
                                 {"undo", "Undo", true},
                                 {"redo", "Redo", false},
                                 {"fit", "Fit", true},
                                 {"fit-selection", "Zoom", false}};

float width_of(const char* title, bool first) {
  const ImGuiStyle& style = ImGui::GetStyle();
  return ImGui::CalcTextSize(title).x + 2 * style.FramePadding.x +
         (first ? 3 : 1) * style.ItemSpacing.x;
}

const char* title_now(const Viewer& viewer, const ToolButton& tool) {
  const bool running = viewer.work().status.running && std::string_view("run") == tool.action;
  return running ? "Pause" : tool.title;
}

void draw_button(Viewer& viewer, const ToolButton& tool) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const Action& action = action_named(tool.action);
  const char* title = title_now(viewer, tool);
  if (tool.first) ImGui::Separator();
  const bool chosen = action.checked && action.checked(viewer);
  ImGui::PushStyleColor(ImGuiCol_Button,
                        chosen ? style.Colors[ImGuiCol_ButtonActive] : ImVec4(0, 0, 0, 0));
  ImGui::BeginDisabled(action.enabled && !action.enabled(viewer));
  if (ImGui::SmallButton(fmt::format("{}##{}", title, action.name).c_str())) viewer.perform(action);
  viewer.work().places.note(fmt::format("toolbar {}", title));
  ImGui::EndDisabled();
  ImGui::PopStyleColor();
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) draw_tooltip(viewer, action);
}

// The buttons from there on, which have no room.
bool draw_rest(Viewer& viewer, std::size_t from) {
  const bool open = ImGui::BeginMenu(kMore);
  viewer.work().places.note(fmt::format("toolbar {}", kMore));
  if (!open) return false;
  for (std::size_t i = from; i < std::size(kTools); i++)
    draw_menu_item(viewer, action_named(kTools[i].action));
  ImGui::EndMenu();
  return true;
}

}  // namespace

bool draw_toolbar(Viewer& viewer) {
  float all = 0;
  for (const ToolButton& tool : kTools) all += width_of(title_now(viewer, tool), tool.first);
  const float left = ImGui::GetCursorPosX(), right = ImGui::GetWindowWidth();
  const float room = left + all <= right ? all : right - left - width_of(kMore, true);
  float taken = 0;
  for (std::size_t i = 0; i < std::size(kTools); i++) {
    taken += width_of(title_now(viewer, kTools[i]), kTools[i].first);
    if (taken > room) return draw_rest(viewer, i);
    draw_button(viewer, kTools[i]);
  }
  return false;
}

}  // namespace tessera
