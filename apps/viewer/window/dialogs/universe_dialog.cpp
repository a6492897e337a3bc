#include "apps/viewer/window/dialogs/universe_dialog.h"

#include <imgui.h>

namespace tessera {

bool UniverseDialog::content() {
  ImGui::TextDisabled("Rule and universe, such as B3/S23:T1024,1024");
  bool done = field("##rule", &rule_, ImGuiInputTextFlags_AutoSelectAll);
  done |= more_fields();
  done |= button("Create", 110);
  ImGui::SameLine();
  if (button("Cancel", 110)) dismiss();
  return done;
}

bool UniverseDialog::accept() {
  start(read(0, [&] { return checked(parse_rule_spec(rule_)); }));
  work_.fit_start();
  return true;
}

}  // namespace tessera
