#include <filesystem>

#include "apps/viewer/window/dialogs/dialogs.h"
#include "apps/viewer/window/dialogs/line_dialog.h"

namespace tessera {
namespace {

std::string usual_file() {
  std::error_code failed;
  return (std::filesystem::current_path(failed) / "tessera.mp4").string();
}

class RecordDialog : public LineDialog {
 public:
  explicit RecordDialog(Workspace& work)
      : LineDialog(work, DialogKind::record, "Record video",
                   "File: .mp4 .mkv .mov .webm .avi .gif; one frame per step", usual_file()) {}

 private:
  bool accept() override {
    check_video_suffix("recording", text());
    work_.record(text());
    return true;
  }
};

}  // namespace

std::shared_ptr<Dialog> record_dialog(Workspace& work) {
  return std::make_shared<RecordDialog>(work);
}

}  // namespace tessera
