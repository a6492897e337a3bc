#include <imgui.h>

#include <string_view>

#include "apps/viewer/window/action.h"
#include "apps/viewer/window/dialogs/dialogs.h"
#include "apps/viewer/window/flow.h"

namespace tessera {
namespace {

class HelpDialog : public Dialog {
 public:
  explicit HelpDialog(Workspace& work)
      : Dialog(work, DialogKind::help, "Keyboard and mouse", 860, 640) {}

 private:
  bool content() override {
    ImGui::TextWrapped(
        "The wheel zooms about the cursor; the middle button, or the left one with Space held, "
        "moves the view. With the draw tool, the left button draws, or erases if it starts on a "
        "live cell. With the select tool, a selection is resized at its edges and moved from "
        "within. The right button erases where it is dragged, and a click opens a menu.");
    for (const char* menu : kMenus) {
      ImGui::Spacing();
      ImGui::TextDisabled("%s", menu);
      draw_actions(menu);
    }
    return false;
  }

  // In a narrow window, what an action does stands below its name.
  void draw_actions(const char* menu) const {
    const float scale = work_.window.ui_scale();
    const bool wide = ImGui::GetContentRegionAvail().x > 500 * scale;
    if (!ImGui::BeginTable(menu, wide ? 3 : 2, ImGuiTableFlags_RowBg)) return;
    ImGui::TableSetupColumn("action", ImGuiTableColumnFlags_WidthStretch, wide ? 180 : 300);
    ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthFixed, (wide ? 150 : 105) * scale);
    if (wide) ImGui::TableSetupColumn("help", ImGuiTableColumnFlags_WidthStretch, 500);
    for (const Action& action : actions()) {
      if (std::string_view(action.menu) != menu) continue;
      ImGui::TableNextColumn();
      ImGui::TextWrapped("%s", action.title);
      if (!wide) hint(action.help);
      ImGui::TableNextColumn();
      ImGui::TextWrapped("%s", action.keys);
      if (!wide) continue;
      ImGui::TableNextColumn();
      ImGui::TextWrapped("%s", action.help);
    }
    ImGui::EndTable();
  }
};

}  // namespace

std::shared_ptr<Dialog> help_dialog(Workspace& work) { return std::make_shared<HelpDialog>(work); }

}  // namespace tessera
