#include "apps/viewer/window/text_field.h"

#include <imgui_internal.h>
#include <imgui_stdlib.h>

namespace tessera {

// Dear ImGui keeps the undo stack of the field that had the keyboard last, and applies it to the
// field's new text when it gets the keyboard again, even beyond the text's ends.
bool text_field(const char* label, std::string* text, ImGuiInputTextFlags flags, const char* hint) {
  static std::string kLeft;  // in that field
  const ImGuiID id = ImGui::GetID(label);
  ImGuiInputTextState* last = ImGui::GetInputTextState(id);
  if (last && ImGui::GetActiveID() != id && *text != kLeft) last->ID = 0;
  const bool entered = ImGui::InputTextWithHint(label, hint, text, flags);
  if (ImGui::GetInputTextState(id)) kLeft = *text;
  return entered;
}

void error_text(const std::string& text) {
  if (text.empty()) return;
  ImGui::PushTextWrapPos(0);
  ImGui::TextColored({0.95f, 0.4f, 0.35f, 1}, "%s", text.c_str());
  ImGui::PopTextWrapPos();
}

}  // namespace tessera
