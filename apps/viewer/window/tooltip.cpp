#include "apps/viewer/window/tooltip.h"

#include <imgui.h>

#include <algorithm>

#include "apps/viewer/window/workspace.h"

namespace tessera {

void show_tooltip(Workspace& work, const std::string& text) {
  constexpr float kMost = 420;  // window units at the usual size of fonts
  const float room = ImGui::GetIO().DisplaySize.x - 4 * ImGui::GetStyle().WindowPadding.x;
  work.tooltip = text;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(std::min(kMost * work.window.ui_scale(), room));
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace tessera
