#include <imgui.h>

#include <utility>

#include "apps/viewer/window/dialogs/dialogs.h"

namespace tessera {
namespace {

class UnsavedDialog : public Dialog {
 public:
  UnsavedDialog(Workspace& work, std::function<void()> save, std::function<void()> leave)
      : Dialog(work, DialogKind::quit, "Unsaved edits", 500),
        save_(std::move(save)),
        leave_(std::move(leave)) {}

 private:
  bool content() override {
    ImGui::TextWrapped("Edits since the last save will be lost.");
    focus();
    if (button("Save...", 150)) chosen_ = save_;
    if (button_beside("Quit without saving", 150)) chosen_ = leave_;
    if (button_beside("Cancel", 150)) chosen_ = [] {};
    return chosen_ != nullptr;
  }

  bool accept() override {
    chosen_();
    return true;
  }

  std::function<void()> save_, leave_, chosen_;
};

}  // namespace

std::shared_ptr<Dialog> unsaved_dialog(Workspace& work, std::function<void()> save,
                                       std::function<void()> leave) {
  return std::make_shared<UnsavedDialog>(work, std::move(save), std::move(leave));
}

}  // namespace tessera
