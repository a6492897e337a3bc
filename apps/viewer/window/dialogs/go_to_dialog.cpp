#include "apps/common/units.h"
#include "apps/viewer/window/action.h"
#include "apps/viewer/window/dialogs/dialogs.h"
#include "apps/viewer/window/flow.h"

namespace tessera {
namespace {

class GoToDialog : public Dialog {
 public:
  explicit GoToDialog(Workspace& work)
      : Dialog(work, DialogKind::go_to, "Go to generation", 460),
        text_(std::to_string(work.status.generation)) {}

 private:
  bool content() override {
    hint(action_named("go-to").help);
    const bool entered = field("##field", &text_, ImGuiInputTextFlags_AutoSelectAll);
    const bool pressed = button("Go");
    if (button_beside("Cancel")) dismiss();
    return entered || pressed;
  }
  bool accept() override {
    const std::int64_t to = parse_count("Generation", text_, 0, std::int64_t{1} << 62);
    return attempt([to](Engine& engine) { engine.go_to(to); });
  }

  std::string text_;
};

}  // namespace

std::shared_ptr<Dialog> go_to_dialog(Workspace& work) { return std::make_shared<GoToDialog>(work); }

}  // namespace tessera
