#include "apps/viewer/window/dialogs/universe_dialog.h"

#include <imgui.h>

namespace tessera {

bool UniverseDialog::content() {
  ImGui::TextDisabled("Rule and universe, such as B3/S23:T1024,1024");
  focus();
  bool done = field("##rule", &rule_);
  done |= more_fields();
  draw_error();
  done |= button("Create", 110);
  return done;
}

bool UniverseDialog::accept() {
  start(parse_rule_spec(rule_));
  work_.fit_start();
  return true;
}

}  // namespace tessera
