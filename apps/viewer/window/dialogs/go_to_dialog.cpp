#include "apps/common/units.h"
#include "apps/viewer/window/dialogs/dialogs.h"
#include "apps/viewer/window/dialogs/line_dialog.h"

namespace tessera {
namespace {

class GoToDialog : public LineDialog {
 public:
  explicit GoToDialog(Workspace& work)
      : LineDialog(work, DialogKind::go_to, "Go to generation", "Go",
                   "Earlier generations are recomputed from the start",
                   std::to_string(work.status.generation)) {}

 private:
  bool accept() override {
    const std::int64_t to = parse_count("Generation", text(), 0, std::int64_t{1} << 62);
    work_.post([to](Engine& engine) { engine.go_to(to); });
    return true;
  }
};

}  // namespace

std::shared_ptr<Dialog> go_to_dialog(Workspace& work) { return std::make_shared<GoToDialog>(work); }

}  // namespace tessera
