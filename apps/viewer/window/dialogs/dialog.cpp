#include "apps/viewer/window/dialogs/dialog.h"

#include <imgui_internal.h>

#include <algorithm>

#include "apps/viewer/window/text_field.h"
#include "core/base/error.h"

namespace tessera {

namespace {

// Without the place in a text that the user never sees as a file.
std::string in_own_words(const Error& error) {
  const std::string text = error.what();
  const auto* parsed = dynamic_cast<const ParseError*>(&error);
  if (!parsed || !parsed->place().starts_with("rule:")) return text;
  std::string rest = text.substr(parsed->place().size() + 2);
  if (!rest.empty() && rest[0] >= 'a' && rest[0] <= 'z') rest[0] += 'A' - 'a';
  return rest;
}

}  // namespace

bool Dialog::draw() {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const float scale = work_.window.ui_scale();
  ImGui::SetNextWindowPos({size.x / 2, size.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(width_ * scale, size.x - 20),
                            height_ > 0 ? std::min(height_ * scale, size.y - 20) : 0});
  if (fresh_) ImGui::SetNextWindowFocus();
  bool open = true;
  ImGui::Begin(title_, &open,
               ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove);
  fields_ = stops_ = 0;
  at_stop_ = -1;
  const bool asked = open && content();
  leave_button_by_tab();
  ImGui::End();
  fresh_ = false;
  if (dismissed_) return false;
  if (!open || !asked) return open;
  try {
    error_.clear();
    wrong_ = 0;
    if (accept()) return false;
  } catch (const Error& error) {
    error_ = in_own_words(error);
  }
  fresh_ = true;
  return true;
}

// Dear ImGui itself goes by Tab from field to field, and from there to a button, but no further.
void Dialog::leave_button_by_tab() {
  to_stop_ = -1;
  if (at_stop_ < 0 || !ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Tab))) return;
  to_stop_ = (at_stop_ + (ImGui::GetIO().KeyShift ? stops_ - 1 : 1)) % stops_;
}

void Dialog::focus() const {
  if (fresh_) ImGui::SetKeyboardFocusHere();
}

bool Dialog::field(const char* id, std::string* text, ImGuiInputTextFlags flags) {
  const bool concerned = fields_++ == wrong_;
  if (concerned) focus();
  if (stops_++ == to_stop_) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  const bool entered = text_field(id, text, ImGuiInputTextFlags_EnterReturnsTrue | flags);
  if (concerned) error_text(error_);
  return entered;
}

bool Dialog::button(const char* title, float width) {
  const int stop = stops_++;
  if (stop == to_stop_) ImGui::SetKeyboardFocusHere();
  ImGui::PushItemFlag(ImGuiItemFlags_Inputable, true);  // Tab leads to it, as to fields
  const bool pressed = ImGui::Button(title, {width * work_.window.ui_scale(), 0});
  ImGui::PopItemFlag();
  // Tab has led to it, and Dear ImGui would not show that, nor let Enter press it.
  if (ImGui::GetFocusID() == ImGui::GetItemID() && !ImGui::GetIO().WantTextInput) {
    ImGui::GetCurrentContext()->NavDisableHighlight = false;
    at_stop_ = stop;
  }
  work_.places.note(title);
  return pressed;
}

}  // namespace tessera
