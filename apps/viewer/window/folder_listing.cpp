#include "apps/viewer/window/folder_listing.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "apps/viewer/window/own_folder.h"

namespace tessera {

namespace fs = std::filesystem;

void FolderListing::show(const std::string& path) {
  if (path_ == path) return;
  path_ = path;
  std::error_code unknown;
  const std::string folder = fs::is_directory(path, unknown) ? path : folder_of(path);
  if (folder == folder_) return;
  folder_ = folder;
  refresh();
}

void FolderListing::refresh() {
  std::vector<std::string> folders, files;
  std::error_code failed;
  fs::directory_iterator at(folder_, fs::directory_options::skip_permission_denied, failed), end;
  for (; !failed && at != end && folders.size() + files.size() + 1 < kMostEntries;
       at.increment(failed)) {
    std::error_code unknown;
    const std::string name = at->path().filename().string();
    if (name.starts_with('.')) continue;
    if (at->is_directory(unknown)) {
      folders.push_back(name + "/");
    } else {
      files.push_back(name);
    }
  }
  folders.emplace_back("../");
  std::ranges::sort(folders);
  std::ranges::sort(files);
  entries_ = std::move(folders);
  entries_.insert(entries_.end(), files.begin(), files.end());
}

std::string FolderListing::path_of(const std::string& entry) const {
  return (fs::path(folder_) / entry).lexically_normal().string();
}

}  // namespace tessera
