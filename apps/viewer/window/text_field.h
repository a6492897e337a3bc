#pragma once

#include <imgui.h>

#include <string>

namespace tessera {

/// ImGui::InputText, with a hint where the field is empty. The undo stack is cleared when the text
/// changed while the field did not have the keyboard.
bool text_field(const char* label, std::string* text, ImGuiInputTextFlags flags = 0,
                const char* hint = "");

/// What is wrong with a field, beneath it; nothing when `text` is empty.
void error_text(const std::string& text);

}  // namespace tessera
