#include "apps/viewer/window/dialogs/line_dialog.h"

#include <imgui.h>

namespace tessera {

bool LineDialog::content() {
  ImGui::PushTextWrapPos(0);
  ImGui::TextDisabled("%s", hint_);
  ImGui::PopTextWrapPos();
  const bool entered = field("##field", &text_, ImGuiInputTextFlags_AutoSelectAll);
  const bool pressed = button(button_, 110);
  ImGui::SameLine();
  if (button("Cancel", 110)) dismiss();
  return entered || pressed;
}

}  // namespace tessera
