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
    if (choice("Save...")) chosen_ = save_;
    ImGui::SameLine();
    if (choice("Quit without saving")) chosen_ = leave_;
    ImGui::SameLine();
    if (choice("Cancel")) chosen_ = [] {};
    return chosen_ != nullptr;
  }

  bool accept() override {
    chosen_();
    return true;
  }

  bool choice(const char* title) const {
    const bool pressed = button(title, 150);
    work_.places.note(title);
    return pressed;
  }

  std::function<void()> save_, leave_, chosen_;
};

}  // namespace

std::shared_ptr<Dialog> unsaved_dialog(Workspace& work, std::function<void()> save,
                                       std::function<void()> leave) {
  return std::make_shared<UnsavedDialog>(work, std::move(save), std::move(leave));
}

}  // namespace tessera
