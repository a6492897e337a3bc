#pragma once

#include <imgui.h>

namespace tessera {

/// Flags of Dear ImGui's windows that are parts of the frame, such as panel and status line.
inline constexpr ImGuiWindowFlags kFixedWindow =
    ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
    ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
    ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav;

}  // namespace tessera
