#include "apps/viewer/window/dialogs/line_dialog.h"

#include <imgui.h>

namespace tessera {

bool LineDialog::content() {
  ImGui::PushTextWrapPos(0);
  ImGui::TextDisabled("%s", hint_);
  ImGui::PopTextWrapPos();
  focus();
  const bool entered = field("##field", &text_);
  draw_error();
  const bool pressed = button("OK", 90);
  return entered || pressed;
}

}  // namespace tessera
