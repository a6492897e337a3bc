#include "apps/viewer/window/dialogs/dialog.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "apps/viewer/window/field_error.h"
#include "apps/viewer/window/flow.h"
#include "apps/viewer/window/own_folder.h"
#include "apps/viewer/window/text_field.h"
#include "core/base/error.h"
#include "core/base/paths.h"

namespace tessera {

bool Dialog::draw() {
  if (attempt_ && attempt_->answered) {
    error_ = std::exchange(attempt_, nullptr)->wrong;
    if (error_.empty()) return false;
    fresh_ = true;
  }
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const float scale = work_.window.ui_scale();
  ImGui::SetNextWindowPos({size.x / 2, size.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  const float height = asked_.empty() ? height_ : 0;  // a question is short
  ImGui::SetNextWindowSize({std::min(width_ * scale, size.x - 20),
                            height > 0 ? std::min(height * scale, size.y - 20) : 0});
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
  if (!open || !asked || attempt_) return open;
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

bool Dialog::attempt(Session::Command command, std::function<void()> then) {
  attempt_ = std::make_shared<Attempt>();
  work_.attempt(std::move(command), [waiting = std::weak_ptr(attempt_), then = std::move(then),
                                     &work = work_](const std::string& wrong) {
    if (const std::shared_ptr<Attempt> attempt = waiting.lock()) {
      attempt->answered = true;
      attempt->wrong = wrong;
    } else if (!wrong.empty()) {
      work.tell(wrong, true);  // the dialog was left meanwhile
    }
    work.redraw();
    if (wrong.empty() && then) then();
  });
  return false;
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
  const bool replace = button("Replace");
  if (replace) replaced_ = std::exchange(asked_, {});
  focus();
  if (button_beside("Keep")) asked_.clear();
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
  work_.places.note(id);
  if (concerned) error_text(error_);
  return entered;
}

bool Dialog::plain_field(const char* id, std::string* text, const char* hint) {
  if (stops_++ == to_stop_) ImGui::SetKeyboardFocusHere();
  return text_field(id, text, ImGuiInputTextFlags_EnterReturnsTrue, hint);
}

// Three go into a row of a narrow dialog, if their titles let them.
float Dialog::button_width(const char* title, float width) const {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float row = ImGui::GetWindowContentRegionMax().x - ImGui::GetWindowContentRegionMin().x;
  const float third = std::floor((row - 2 * style.ItemSpacing.x) / 3);
  return std::max(std::min(width * work_.window.ui_scale(), third),
                  ImGui::CalcTextSize(title).x + 2 * style.FramePadding.x);
}

float Dialog::buttons_height(std::initializer_list<const char*> titles, float width) const {
  const float gap = ImGui::GetStyle().ItemSpacing.x, room = ImGui::GetContentRegionAvail().x;
  int rows = 1;
  float taken = -gap;
  for (const char* title : titles) {
    const float next = gap + button_width(title, width);
    const bool fits = taken + next <= room;
    rows += fits ? 0 : 1;
    taken = fits ? taken + next : next - gap;
  }
  return static_cast<float>(rows) * ImGui::GetFrameHeightWithSpacing();
}

bool Dialog::button_beside(const char* title, float width) {
  beside(button_width(title, width));
  return button(title, width);
}

bool Dialog::button(const char* title, float width) {
  const int stop = stops_++;
  if (stop == to_stop_) ImGui::SetKeyboardFocusHere();
  ImGui::PushItemFlag(ImGuiItemFlags_Inputable, true);  // Tab leads to it, as to fields
  const bool pressed = ImGui::Button(title, {button_width(title, width), 0});
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
