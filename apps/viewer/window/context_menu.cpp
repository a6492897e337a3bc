#include "apps/viewer/window/context_menu.h"

#include <imgui.h>

#include "apps/viewer/window/menu_item.h"
#include "apps/viewer/window/viewer.h"

namespace tessera {
namespace {

constexpr const char* kOnSelection[] = {
    "cut",          "copy",        "paste",  nullptr,  "clear", "clear-outside", "fill",    nullptr,
    "rotate-right", "rotate-left", "flip-x", "flip-y", nullptr, "fit-selection", "deselect"};
constexpr const char* kOnCells[] = {
    "paste",     "paste-mode",  nullptr,    "select-all", "fit",  "zoom-one", nullptr,
    "draw-tool", "select-tool", "pan-tool", nullptr,      "undo", "rule"};

}  // namespace

std::span<const char* const> context_actions(bool selection) {
  return selection ? std::span<const char* const>(kOnSelection) : kOnCells;
}

void ContextMenu::draw(Viewer& viewer) {
  if (viewer.mouse().take_menu_request()) ImGui::OpenPopup("##context");
  open_ = ImGui::BeginPopup("##context");
  if (!open_) return;
  for (const char* name : context_actions(viewer.work().status.selection.has_value())) {
    name ? draw_menu_item(viewer, action_named(name)) : ImGui::Separator();
  }
  ImGui::EndPopup();
}

}  // namespace tessera
