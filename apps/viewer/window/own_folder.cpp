#include "apps/viewer/window/own_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "apps/common/outputs.h"
#include "core/base/error.h"

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
  const std::string current = fs::current_path(failed).string();
  return is_own_folder(current) ? current : fs::temp_directory_path(failed).string();
}

std::string unused_file(const std::string& last, const std::string& suffix) {
  const fs::path folder = own_folder(last);
  fs::path path = folder / ("tessera" + suffix);
  std::error_code unknown;
  for (int i = 2; fs::exists(path, unknown); i++)
    path = folder / fmt::format("tessera-{}{}", i, suffix);
  return path.string();
}

std::string expanded(const std::string& path) {
  return path.starts_with("~/") && !home().empty() ? home() + path.substr(1) : path;
}

void check_can_be_made(const std::string& path) {
  if (path.empty() || path.ends_with('/')) throw InputError("The name of a file is expected");
  std::string why = why_not_writable(path);
  if (why.empty()) return;
  why[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(why[0])));
  throw InputError(why);
}

}  // namespace tessera
