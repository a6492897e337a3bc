#include "apps/viewer/window/dialogs/dialogs.h"
#include "apps/viewer/window/dialogs/line_dialog.h"

namespace tessera {
namespace {

class RuleDialog : public LineDialog {
 public:
  explicit RuleDialog(Workspace& work)
      : LineDialog(work, DialogKind::rule, "Rule and universe", "Apply",
                   "Rule: B3/S23, 23/3 or HighLife. Universe: :T512,256 is a torus, :P100 a plane "
                   "with a dead outside; without either, the plane is infinite.",
                   to_string(work.status.rule)) {}

 private:
  bool accept() override {
    parse_rule_spec(text());
    work_.post([rule = text()](Engine& engine) { engine.set_rule(rule); });
    return true;
  }
};

}  // namespace

std::shared_ptr<Dialog> rule_dialog(Workspace& work) { return std::make_shared<RuleDialog>(work); }

}  // namespace tessera
