#include "apps/viewer/window/dialogs/universe_dialog.h"

#include "apps/viewer/window/flow.h"

namespace tessera {

bool UniverseDialog::content() {
  hint("Rule and universe, such as B3/S23:T1024,1024");
  bool done = field("##rule", &rule_, ImGuiInputTextFlags_AutoSelectAll);
  done |= more_fields();
  done |= button("Create");
  if (button_beside("Cancel")) dismiss();
  return done;
}

bool UniverseDialog::accept() {
  return attempt(start(read(0, [&] { return checked(parse_rule_spec(rule_)); })),
                 [&work = work_] { work.fit_start(); });
}

}  // namespace tessera
