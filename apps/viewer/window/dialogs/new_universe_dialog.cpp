#include "apps/viewer/window/dialogs/dialogs.h"
#include "apps/viewer/window/dialogs/universe_dialog.h"

namespace tessera {
namespace {

class NewUniverseDialog : public UniverseDialog {
 public:
  explicit NewUniverseDialog(Workspace& work)
      : UniverseDialog(work, DialogKind::new_universe, "New universe",
                       to_string(work.status.rule)) {}

 private:
  Session::Command start(const RuleSpec& spec) override {
    return [spec](Engine& engine) { engine.start_empty(spec); };
  }
};

}  // namespace

std::shared_ptr<Dialog> new_universe_dialog(Workspace& work) {
  return std::make_shared<NewUniverseDialog>(work);
}

}  // namespace tessera
