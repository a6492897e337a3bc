#include "apps/viewer/window/dialogs/dialog.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "apps/viewer/window/field_error.h"
#include "apps/viewer/window/own_folder.h"
#include "apps/viewer/window/text_field.h"
#include "core/base/error.h"
#include "core/base/paths.h"

namespace tessera {

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
  const bool asked = open && (asked_.empty() ? content() : ask_to_replace());
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
    error_ = field_error(error);
  }
  fresh_ = true;
  return true;
}

bool Dialog::may_write(const std::string& path) {
  std::error_code unknown;
  if (path == replaced_ || !std::filesystem::exists(path, unknown)) return true;
  asked_ = path;
  return false;
}

// True when the file is to be replaced.
bool Dialog::ask_to_replace() {
  const std::filesystem::path file(asked_);
  ImGui::TextWrapped(
      "%s", fmt::format("{} exists already in {}. Replace it?", printable(file.filename().string()),
                        printable(folder_of(asked_)))
                .c_str());
  const bool replace = button("Replace", 110);
  if (replace) replaced_ = std::exchange(asked_, {});
  ImGui::SameLine();
  focus();
  if (button("Keep", 110)) asked_.clear();
  return replace;
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
