#include "apps/viewer/window/own_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/paths.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

// An administrator may write there, too, and should not by accident.
constexpr const char* kSystem[] = {"/usr", "/opt", "/etc", "/proc", "/sys", "/dev", "/boot"};

bool can_be_written(const std::string& folder) {
  std::error_code unknown;
  return fs::is_directory(folder, unknown) && ::access(folder.c_str(), W_OK | X_OK) == 0;
}

std::string home() {
  const char* path = std::getenv("HOME");
  return path ? path : "";
}

}  // namespace

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

bool is_own_folder(const std::string& folder) {
  if (folder.empty() || !can_be_written(folder)) return false;
  std::error_code unknown;
  const std::string real = fs::canonical(folder, unknown).string() + "/";
  return std::ranges::none_of(
      kSystem, [&](const char* system) { return real.starts_with(std::string(system) + "/"); });
}

std::string own_folder(const std::string& last) {
  if (is_own_folder(last)) return last;
  if (is_own_folder(home())) return home();
  std::error_code failed;
  return fs::current_path(failed).string();
}

std::string expanded(const std::string& path) {
  return path.starts_with("~/") && !home().empty() ? home() + path.substr(1) : path;
}

void check_can_be_made(const std::string& path) {
  if (path.empty() || path.ends_with('/')) throw InputError("The name of a file is expected");
  std::error_code unknown;
  if (fs::is_directory(path, unknown))
    throw InputError(
        fmt::format("{} is a folder; the name of a file is expected", printable(path)));
  const std::string folder = folder_of(path);
  if (!fs::is_directory(folder, unknown))
    throw InputError(fmt::format("The folder {} does not exist", printable(folder)));
  if (!can_be_written(folder))
    throw InputError(fmt::format("The folder {} cannot be written to", printable(folder)));
}

}  // namespace tessera
