#include "apps/viewer/window/panel_style.h"

#include <imgui.h>

namespace tessera {

void dress_panel(Theme theme, float scale) {
  ImGuiStyle style;
  if (theme == Theme::light) {
    ImGui::StyleColorsLight(&style);
  } else {
    ImGui::StyleColorsDark(&style);
  }
  style.WindowRounding = 6;
  style.FrameRounding = 4;
  style.GrabRounding = 4;
  style.PopupRounding = 4;
  style.ScrollbarRounding = 6;
  style.WindowPadding = {12, 10};
  style.FramePadding = {8, 4};
  style.ItemSpacing = {8, 6};
  style.WindowBorderSize = 1;
  style.FrameBorderSize = theme == Theme::light ? 1.0f : 0.0f;
  style.WindowTitleAlign = {0.5f, 0.5f};
  const ImVec4 accent = ImGui::ColorConvertU32ToFloat4(colours_of(theme).accent);
  const auto faded = [&](float alpha) { return ImVec4(accent.x, accent.y, accent.z, alpha); };
  ImVec4* colours = style.Colors;
  if (theme == Theme::dark) {
    colours[ImGuiCol_WindowBg] = {0.086f, 0.106f, 0.133f, 1};
    colours[ImGuiCol_MenuBarBg] = {0.086f, 0.106f, 0.133f, 1};
    colours[ImGuiCol_PopupBg] = {0.11f, 0.13f, 0.16f, 1};
    colours[ImGuiCol_FrameBg] = {0.16f, 0.19f, 0.23f, 1};
    colours[ImGuiCol_Border] = {0.19f, 0.21f, 0.25f, 1};
    colours[ImGuiCol_Text] = {0.9f, 0.93f, 0.95f, 1};
    colours[ImGuiCol_TextDisabled] = {0.56f, 0.61f, 0.67f, 1};
  } else if (theme == Theme::phosphor) {
    colours[ImGuiCol_WindowBg] = {0.02f, 0.07f, 0.035f, 1};
    colours[ImGuiCol_MenuBarBg] = {0.02f, 0.07f, 0.035f, 1};
    colours[ImGuiCol_PopupBg] = {0.02f, 0.09f, 0.045f, 1};
    colours[ImGuiCol_FrameBg] = {0.04f, 0.15f, 0.07f, 1};
    colours[ImGuiCol_Border] = {0.06f, 0.25f, 0.12f, 1};
    colours[ImGuiCol_Text] = {0.66f, 1, 0.75f, 1};
    colours[ImGuiCol_TextDisabled] = {0.37f, 0.68f, 0.46f, 1};
  } else {
    colours[ImGuiCol_WindowBg] = colours[ImGuiCol_PopupBg] = {0.965f, 0.965f, 0.96f, 1};
    colours[ImGuiCol_Text] = {0.1f, 0.11f, 0.13f, 1};
    colours[ImGuiCol_TextDisabled] = {0.4f, 0.42f, 0.45f, 1};
    colours[ImGuiCol_MenuBarBg] = {0.965f, 0.965f, 0.96f, 1};
    colours[ImGuiCol_Border] = {0.8f, 0.8f, 0.79f, 1};
  }
  colours[ImGuiCol_Button] = faded(0.28f);
  colours[ImGuiCol_ButtonHovered] = faded(0.55f);
  colours[ImGuiCol_ButtonActive] = faded(0.8f);
  colours[ImGuiCol_Header] = faded(0.3f);
  colours[ImGuiCol_HeaderHovered] = faded(0.45f);
  colours[ImGuiCol_HeaderActive] = faded(0.6f);
  colours[ImGuiCol_CheckMark] = colours[ImGuiCol_PlotLines] = faded(1);
  colours[ImGuiCol_SliderGrab] = faded(0.6f);  // numbers on it stay legible
  colours[ImGuiCol_SliderGrabActive] = faded(0.75f);
  colours[ImGuiCol_TitleBgActive] = colours[ImGuiCol_TitleBg] = colours[ImGuiCol_MenuBarBg];
  style.ScaleAllSizes(scale);
  ImGui::GetStyle() = style;
}

}  // namespace tessera
