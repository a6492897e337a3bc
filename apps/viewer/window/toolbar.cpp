#include "apps/viewer/window/toolbar.h"

#include <fmt/format.h>
#include <imgui.h>

#include "apps/viewer/window/menu_item.h"
#include "apps/viewer/window/viewer.h"

namespace tessera {
namespace {

struct ToolButton {
  const char* action;
  const char* title;
  bool first;  // of a group, which a line sets off from the one before
};
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

}  // namespace

void draw_toolbar(Viewer& viewer) {
  const ImGuiStyle& style = ImGui::GetStyle();
  for (const ToolButton& tool : kTools) {
    const Action& action = action_named(tool.action);
    const bool running = viewer.work().status.running && action.name == std::string_view("run");
    const char* title = running ? "Pause" : tool.title;
    const float width = ImGui::CalcTextSize(title).x + 2 * style.FramePadding.x +
                        (tool.first ? 3 : 1) * style.ItemSpacing.x;
    if (ImGui::GetCursorPosX() + width > ImGui::GetWindowWidth()) return;
    if (tool.first) ImGui::Separator();
    const bool chosen = action.checked && action.checked(viewer);
    ImGui::PushStyleColor(ImGuiCol_Button,
                          chosen ? style.Colors[ImGuiCol_ButtonActive] : ImVec4(0, 0, 0, 0));
    ImGui::BeginDisabled(action.enabled && !action.enabled(viewer));
    if (ImGui::SmallButton(fmt::format("{}##{}", title, action.name).c_str())) {
      viewer.perform(action);
    }
    viewer.work().places.note(fmt::format("toolbar {}", title));
    ImGui::EndDisabled();
    ImGui::PopStyleColor();
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) draw_tooltip(action);
  }
}

}  // namespace tessera
