#pragma once

#include <imgui.h>

#include <string>

namespace tessera {

/// ImGui::InputText, with a hint where the field is empty. What can be undone is forgotten when the
/// text has become another one while the field did not have the keyboard.
bool text_field(const char* label, std::string* text, ImGuiInputTextFlags flags = 0,
                const char* hint = "");

/// What is wrong with a field, beneath it; nothing when `text` is empty.
void error_text(const std::string& text);

}  // namespace tessera
