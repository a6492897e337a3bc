#include "apps/viewer/window/recovery.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "core/base/error.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

// Empty when neither is known.
fs::path state_folder() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state && *state) return fs::path(state) / "tessera";
  const char* home = std::getenv("HOME");
  return home && *home ? fs::path(home) / ".local/state/tessera" : fs::path();
}

}  // namespace

std::string recovery_path() {
  const fs::path folder = state_folder();
  if (folder.empty())
    throw FileError("unsaved work cannot be kept: neither XDG_STATE_HOME nor HOME is set");
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw FileError(fmt::format("{}: {}", folder.string(), failed.message()));
  return (folder / fmt::format("recovery-{}.tsr", ::getpid())).string();
}

std::optional<std::string> newest_recovery() {
  std::optional<std::string> newest;
  fs::file_time_type when{};
  std::error_code failed;
  for (fs::directory_iterator at(state_folder(), failed), end; !failed && at != end;
       at.increment(failed)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with("recovery-") || !name.ends_with(".tsr")) continue;
    std::error_code unknown;
    const fs::file_time_type written = at->last_write_time(unknown);
    if (unknown || (newest && written <= when)) continue;
    newest = at->path().string();
    when = written;
  }
  return newest;
}

void set_aside(const std::string& path) {
  std::error_code failed;
  fs::rename(path, fs::path(path).parent_path() / "recovered.tsr", failed);
  if (failed) throw FileError(fmt::format("{}: {}", path, failed.message()));
}

}  // namespace tessera
