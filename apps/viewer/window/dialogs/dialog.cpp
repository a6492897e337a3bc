#include "apps/viewer/window/dialogs/dialog.h"

#include <imgui.h>

#include <algorithm>

#include "apps/viewer/window/text_field.h"
#include "core/base/error.h"

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
  const bool asked = open && content();
  ImGui::End();
  fresh_ = false;
  if (!open || !asked) return open;
  try {
    error_.clear();
    if (accept()) return false;
  } catch (const Error& error) {
    error_ = error.what();
  }
  fresh_ = true;
  return true;
}

void Dialog::focus() const {
  if (fresh_) ImGui::SetKeyboardFocusHere();
}

bool Dialog::field(const char* id, std::string* text) const {
  ImGui::SetNextItemWidth(-1);
  return text_field(id, text,
                    ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
}

bool Dialog::button(const char* title, float width) const {
  return ImGui::Button(title, {width * work_.window.ui_scale(), 0});
}

void Dialog::draw_error() const { error_text(error_); }

}  // namespace tessera
