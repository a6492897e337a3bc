#include "apps/common/outputs.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/pattern_io.h"
#include "core/png.h"
#include "core/universe.h"

namespace tessera {

void check_writable(const std::string& option, const std::string& path) {
  const auto refuse = [&](const std::string& reason) {
    throw InputError(fmt::format("{} {}: {}", option, printable(path), reason));
  };
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) refuse("this is a folder; a file is expected");
    if (!S_ISREG(status.st_mode)) return;
  }
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (::stat(folder.c_str(), &status) != 0) {
    refuse(fmt::format("its folder {} cannot be used: {}", printable(folder.string()),
                       std::strerror(errno)));
  }
  if (!S_ISDIR(status.st_mode)) refuse(printable(folder.string()) + " is not a folder");
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    refuse(fmt::format("its folder {} cannot be written: {}", printable(folder.string()),
                       std::strerror(errno)));
  }
}

OutputKind check_output(const std::string& option, const std::string& path) {
  if (path == "-") return OutputKind::pattern;
  OutputKind kind = OutputKind::pattern;
  if (path.ends_with(".png")) {
    kind = OutputKind::picture;
  } else if (path.ends_with(".tsr")) {
    kind = OutputKind::checkpoint;
  } else {
    try {
      pattern_format_of(path);
    } catch (const InputError&) {
      throw InputError(
          fmt::format("{} {}: the suffix names the format; patterns .rle, .mc, .cells and .lif "
                      "(each also .gz), pictures .png and checkpoints .tsr are accepted",
                      option, printable(path)));
    }
  }
  check_writable(option, path);
  return kind;
}

void write_checkpoint_of(Universe& universe, const CheckpointInfo& from, const std::string& path) {
  CheckpointInfo info = from;
  info.rule = universe.spec();
  info.generation = universe.generation();
  write_checkpoint(path, info, *universe.pieces(universe.extent()));
}

CheckpointInfo load_checkpoint(CheckpointReader& reader, Universe& universe) {
  universe.load(reader);
  universe.set_generation(reader.info().generation);
  return reader.info();
}

void write_output(const std::string& path, Universe& universe, const CheckpointInfo& from) {
  switch (check_output("--out", path)) {
    case OutputKind::pattern:
      write_pattern(path, universe.pattern());
      break;
    case OutputKind::picture:
      write_png(path, universe.window(universe.extent()));
      break;
    case OutputKind::checkpoint:
      write_checkpoint_of(universe, from, path);
      break;
  }
}

}  // namespace tessera
