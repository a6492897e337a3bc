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
      throw InputError(fmt::format(
          "{} {}: the suffix names the format; patterns .rle, .cells and .lif (each also .gz), "
          "pictures .png and checkpoints .tsr are accepted",
          option, printable(path)));
    }
  }
  check_writable(option, path);
  return kind;
}

namespace {

// The grid that a checkpoint or a picture holds: a bounded universe, or the box of the live cells.
Rect held_rect(Universe& universe) {
  const RuleSpec& rule = universe.spec();
  if (rule.bounded()) return {rule.origin().x, rule.origin().y, rule.width, rule.height};
  const std::optional<Bounds> box = universe.bounds();
  return box ? box->rect() : Rect{0, 0, 1, 1};
}

}  // namespace

void write_checkpoint_of(Universe& universe, const CheckpointInfo& from, const std::string& path) {
  CheckpointInfo info = from;
  const Rect rect = held_rect(universe);
  info.rule = universe.spec();
  info.generation = universe.generation();
  info.origin = {rect.x, rect.y};
  write_checkpoint(path, info, rect.width, rect.height, [&](const Rect& piece) {
    return universe.window({rect.x + piece.x, rect.y + piece.y, piece.width, piece.height});
  });
}

CheckpointInfo load_checkpoint(CheckpointReader& reader, Universe& universe) {
  const CheckpointInfo& info = reader.info();
  if (info.rule.bounded()) {
    while (const auto piece = reader.next())
      universe.backend().edit({piece->at.x, piece->at.y}, piece->cells);
  } else {
    BitGrid cells(reader.width(), reader.height());
    while (const auto piece = reader.next()) cells.paste(piece->at.x, piece->at.y, piece->cells);
    universe.load(cells, info.origin);
  }
  universe.set_generation(info.generation);
  return info;
}

void write_output(const std::string& path, Universe& universe, const CheckpointInfo& from) {
  switch (check_output("--out", path)) {
    case OutputKind::pattern:
      write_pattern(path, universe.pattern());
      break;
    case OutputKind::picture:
      write_png(path, universe.window(held_rect(universe)));
      break;
    case OutputKind::checkpoint:
      write_checkpoint_of(universe, from, path);
      break;
  }
}

}  // namespace tessera
