#include <filesystem>

#include "apps/viewer/window/dialogs/dialogs.h"
#include "apps/viewer/window/dialogs/line_dialog.h"
#include "apps/viewer/window/own_folder.h"

namespace tessera {
namespace {

std::string usual_file(const Settings& settings) {
  return (std::filesystem::path(own_folder(settings.folder)) / "tessera.mp4").string();
}

class RecordDialog : public LineDialog {
 public:
  explicit RecordDialog(Workspace& work)
      : LineDialog(work, DialogKind::record, "Record video", "Record",
                   "File: .mp4 .mkv .mov .webm .avi .gif; one frame per step",
                   usual_file(work.settings)) {}

 private:
  bool accept() override {
    const std::string path = expanded(text());
    check_can_be_made(path);
    check_video_suffix("Recording", path);
    work_.record(path);
    return true;
  }
};

}  // namespace

std::shared_ptr<Dialog> record_dialog(Workspace& work) {
  return std::make_shared<RecordDialog>(work);
}

}  // namespace tessera
