#include <imgui.h>

#include <filesystem>

#include "apps/common/outputs.h"
#include "apps/viewer/window/dialogs/dialogs.h"
#include "apps/viewer/window/flow.h"
#include "apps/viewer/window/folder_listing.h"
#include "apps/viewer/window/own_folder.h"
#include "core/base/error.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
  std::error_code unknown;
  return fs::is_directory(path, unknown);
}

// Where the last file was opened, with a slash at the end.
std::string usual_folder(const Settings& settings) {
  const std::string last = settings.recent.empty() ? "" : folder_of(settings.recent.front());
  return (is_folder(last) ? last : own_folder(settings.folder)) + "/";
}

// Beside the file that is worked on where that is the user's own, otherwise where the user saves.
std::string usual_file(const Workspace& work) {
  const std::string& path = work.status.path;
  if (path.empty()) return own_folder(work.settings.folder) + "/pattern.rle";
  if (is_own_folder(folder_of(path))) return path;
  return (fs::path(own_folder(work.settings.folder)) / fs::path(path).filename()).string();
}

void check_can_be_saved(const std::string& path) {
  check_can_be_made(path);
  if (kind_of(path)) return;
  throw InputError(
      "The name's ending says the format: .rle, .mc, .cells or .lif (each also with .gz) for a "
      "pattern, .tsr for a checkpoint, .png for an image");
}

// A path and what is in its folder.
class FileDialog : public Dialog {
 public:
  explicit FileDialog(Workspace& work, bool saving)
      : Dialog(work, saving ? DialogKind::save : DialogKind::open, saving ? "Save as" : "Open", 620,
               460),
        saving_(saving),
        path_(saving ? usual_file(work) : usual_folder(work.settings)) {}

 private:
  bool content() override;
  bool accept() override;
  bool draw_files();

  bool saving_;
  std::string path_;
  FolderListing listing_;
};

bool FileDialog::content() {
  hint(saving_ ? "Pattern .rle .mc .cells .lif (each also .gz), checkpoint .tsr, image .png"
               : "Pattern .rle .mc .cells .lif (each also .gz), checkpoint .tsr");
  bool done = field("##field", &path_);
  listing_.show(path_);
  done |= draw_files();
  done |= button(saving_ ? "Save" : "Open");
  if (button_beside("Cancel")) dismiss();
  if (button_beside("Refresh")) listing_.refresh();
  return done;
}

// True when a file is chosen by a double click, or by Enter.
bool FileDialog::draw_files() {
  std::string clicked;
  const float below = buttons_height({saving_ ? "Save" : "Open", "Cancel", "Refresh"}) + 4;
  ImGui::BeginChild("##files", {0, list_height(below)}, true,
                    ImGuiWindowFlags_NavFlattened | ImGuiWindowFlags_HorizontalScrollbar);
  for (const std::string& entry : listing_.entries()) {
    if (ImGui::Selectable(entry.c_str(), false, ImGuiSelectableFlags_AllowDoubleClick))
      clicked = entry;
    work_.places.note(entry);
  }
  ImGui::EndChild();
  if (clicked.empty()) return false;
  path_ = listing_.path_of(clicked);
  return !clicked.ends_with('/') && (ImGui::IsMouseDoubleClicked(0) || !ImGui::IsMouseReleased(0));
}

bool FileDialog::accept() {
  path_ = expanded(path_);
  if (path_.empty()) throw InputError("The name of a file is expected");
  if (is_folder(path_)) {
    if (!path_.ends_with('/')) path_ += '/';
    return false;
  }
  if (!saving_) {
    return attempt([path = path_](Engine& engine) { engine.open(path); },
                   [path = path_, &work = work_] { work.opened(path); });
  }
  check_can_be_saved(path_);
  // The file that is worked on is not another one.
  if (path_ != work_.status.path && !may_write(path_)) return false;
  return attempt([path = path_](Engine& engine) { engine.save(path); },
                 [path = path_, &work = work_] { work.settings.remember(path); });
}

}  // namespace

std::shared_ptr<Dialog> open_dialog(Workspace& work) {
  return std::make_shared<FileDialog>(work, false);
}

std::shared_ptr<Dialog> save_dialog(Workspace& work) {
  return std::make_shared<FileDialog>(work, true);
}

}  // namespace tessera
