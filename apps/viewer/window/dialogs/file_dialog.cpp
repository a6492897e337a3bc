#include <fmt/format.h>
#include <imgui.h>

#include <filesystem>

#include "apps/viewer/window/dialogs/dialogs.h"
#include "apps/viewer/window/folder_listing.h"
#include "apps/viewer/window/text_field.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
  std::error_code unknown;
  return fs::is_directory(path, unknown);
}

// Where the last file was, with a slash at the end.
std::string usual_folder(const Settings& settings) {
  const std::string last =
      settings.recent.empty() ? "" : fs::path(settings.recent.front()).parent_path().string();
  std::error_code failed;
  return (last.empty() ? fs::current_path(failed).string() : last) + "/";
}

std::string usual_file(const Workspace& work) {
  return work.status.path.empty() ? usual_folder(work.settings) + "pattern.rle" : work.status.path;
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
  bool overwrites() const;

  bool saving_;
  std::string path_;
  std::string replaced_;  // the file that was asked about
  FolderListing listing_;
};

bool FileDialog::content() {
  ImGui::TextDisabled(
      "%s", saving_ ? "Pattern .rle .mc .cells .lif (each also .gz), checkpoint .tsr, image .png"
                    : "Pattern .rle .mc .cells .lif (each also .gz), checkpoint .tsr");
  focus();
  ImGui::SetNextItemWidth(-1);
  bool done = text_field("##field", &path_, ImGuiInputTextFlags_EnterReturnsTrue);
  listing_.show(path_);
  draw_error();
  done |= draw_files();
  done |= button(saving_ ? "Save" : "Open", 110);
  ImGui::SameLine();
  if (button("Refresh", 110)) listing_.refresh();
  return done;
}

// True when a file is chosen by a double click.
bool FileDialog::draw_files() {
  std::string clicked;
  ImGui::BeginChild("##files", {0, -ImGui::GetFrameHeightWithSpacing() - 4}, true);
  for (const std::string& entry : listing_.entries()) {
    if (ImGui::Selectable(entry.c_str(), false, ImGuiSelectableFlags_AllowDoubleClick))
      clicked = entry;
  }
  ImGui::EndChild();
  if (clicked.empty()) return false;
  path_ = listing_.path_of(clicked);
  return !clicked.ends_with('/') && ImGui::IsMouseDoubleClicked(0);
}

// Another file than the one that is worked on.
bool FileDialog::overwrites() const {
  std::error_code unknown;
  return saving_ && path_ != work_.status.path && fs::exists(path_, unknown);
}

bool FileDialog::accept() {
  if (path_.empty()) {
    error_ = "The name of a file is expected";
    return false;
  }
  if (is_folder(path_)) return false;
  if (overwrites() && path_ != replaced_) {
    replaced_ = path_;
    error_ = fmt::format("{} exists. Save again to replace it", path_);
    return false;
  }
  saving_ ? work_.save(path_) : work_.open(path_);
  return true;
}

}  // namespace

std::shared_ptr<Dialog> open_dialog(Workspace& work) {
  return std::make_shared<FileDialog>(work, false);
}

std::shared_ptr<Dialog> save_dialog(Workspace& work) {
  return std::make_shared<FileDialog>(work, true);
}

}  // namespace tessera
