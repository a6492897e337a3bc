#include "apps/viewer/window/flow.h"

#include <imgui.h>

#include <algorithm>

namespace tessera {

void beside(float width) {
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  if (ImGui::GetItemRectMax().x + ImGui::GetStyle().ItemSpacing.x + width <= right)
    ImGui::SameLine();
}

float width_of_choice(const char* title) {
  return ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x +
         ImGui::CalcTextSize(title).x;
}

float list_height(float below) {
  return std::max(3 * ImGui::GetTextLineHeightWithSpacing(),
                  ImGui::GetContentRegionAvail().y - below);
}

void hint(const char* text) {
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
  ImGui::TextWrapped("%s", text);
  ImGui::PopStyleColor();
}

}  // namespace tessera
