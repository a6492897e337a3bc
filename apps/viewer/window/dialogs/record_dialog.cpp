#include <imgui.h>

#include "apps/viewer/window/dialogs/dialogs.h"
#include "apps/viewer/window/flow.h"
#include "apps/viewer/window/own_folder.h"
#include "core/base/error.h"
#include "core/base/paths.h"

namespace tessera {
namespace {

// A file, and what a picture or a video of the view looks like: at first as the window does.
class PictureDialog : public Dialog {
 public:
  PictureDialog(Workspace& work, bool video)
      : Dialog(work, video ? DialogKind::record : DialogKind::picture,
               video ? "Record video" : "Save picture", 460),
        video_(video),
        path_(unused_file(work.settings.folder, video ? ".mp4" : ".png")),
        scale_(to_string(work.camera.scale())),
        look_{work.settings.theme, work.settings.history,
              work.settings.grid && work.camera.scale().pixels >= kGridPixels} {}

 private:
  bool content() override;
  bool accept() override;
  bool choice(const char* title, bool chosen) const;
  RecordingLook read_look();

  bool video_;
  std::string path_, scale_;
  FrameLook look_;
};

bool PictureDialog::choice(const char* title, bool chosen) const {
  beside(width_of_choice(title));
  const bool pressed = ImGui::RadioButton(title, chosen);
  work_.places.note(title);
  return pressed;
}

bool PictureDialog::content() {
  hint(video_ ? "File: .mp4 .mkv .mov .webm .avi .gif; one frame per step" : "File: .png");
  bool done = field("##file", &path_, ImGuiInputTextFlags_AutoSelectAll);
  hint("Scale: cells per pixel, such as 8, or 1/N: pixels per cell");
  done |= field("##scale", &scale_, ImGuiInputTextFlags_AutoSelectAll);
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("Theme");
  for (int i = 0; i < kThemes; i++) {
    const auto theme = static_cast<Theme>(i);
    if (choice(name_of(theme), look_.theme == theme)) look_.theme = theme;
  }
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("Colours");
  if (choice("cells", !look_.ages)) look_.ages = false;
  if (choice("age", look_.ages)) look_.ages = true;
  ImGui::Checkbox("Grid lines", &look_.grid_lines);
  work_.places.note("Picture's grid lines");
  done |= button(video_ ? "Record" : "Save");
  if (button_beside("Cancel")) dismiss();
  return done;
}

RecordingLook PictureDialog::read_look() {
  return read(1, [&] {
    const RecordingLook look{{work_.camera.visible(), parse_scale("Scale", scale_), true}, look_};
    check_look(look);
    return look;
  });
}

bool PictureDialog::accept() {
  const std::string path = expanded(path_);
  check_can_be_made(path);
  if (video_) {
    check_video_suffix("Recording", path);
  } else if (!path.ends_with(".png")) {
    throw InputError("The name must end in .png");
  }
  const RecordingLook look = read_look();
  if (!may_write(path)) return false;
  if (!video_) return attempt([path, look](Engine& engine) { engine.save_picture(path, look); });
  return attempt([path, look, every = work_.settings.step.generations()](Engine& engine) {
    engine.start_recording(path, look, every);
  });
}

}  // namespace

std::shared_ptr<Dialog> record_dialog(Workspace& work) {
  return std::make_shared<PictureDialog>(work, true);
}

std::shared_ptr<Dialog> picture_dialog(Workspace& work) {
  return std::make_shared<PictureDialog>(work, false);
}

}  // namespace tessera
