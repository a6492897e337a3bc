#include "apps/common/outputs.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "apps/common/theme.h"
#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/files/atomic_file.h"
#include "core/files/checkpoint_shards.h"
#include "core/pattern_io.h"
#include "core/pictures/state_pixels.h"
#include "core/png.h"
#include "core/rules/state_looks.h"
#include "core/universe.h"

namespace tessera {

std::optional<OutputKind> kind_of(const std::string& path) {
  if (path == "-") return OutputKind::pattern;
  if (path.ends_with(".png")) return OutputKind::picture;
  if (path.ends_with(".tsr")) return OutputKind::checkpoint;
  try {
    pattern_format_of(path);
    return OutputKind::pattern;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::string why_not_writable(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return "this is a folder; the name of a file is expected";
    if (!S_ISREG(status.st_mode)) return "";
  }
  const std::string above = std::filesystem::path(path).parent_path().string();
  const std::string folder = above.empty() ? std::string(".") : above;
  const std::string shown = printable(folder);
  if (::stat(folder.c_str(), &status) != 0) {
    if (errno == ENOENT) return fmt::format("the folder {} does not exist", shown);
    return fmt::format("the folder {} cannot be used: {}", shown, std::strerror(errno));
  }
  if (!S_ISDIR(status.st_mode)) return fmt::format("{} is not a folder", shown);
  if (::access(folder.c_str(), W_OK | X_OK) == 0) return "";
  return fmt::format("the folder {} cannot be written to: {}", shown, std::strerror(errno));
}

void check_writable(const std::string& option, const std::string& path) {
  const std::string why = why_not_writable(path);
  if (!why.empty()) throw InputError(fmt::format("{} {}: {}", option, printable(path), why));
}

OutputKind check_output(const std::string& option, const std::string& path) {
  const std::optional<OutputKind> kind = kind_of(path);
  if (!kind) {
    throw InputError(
        fmt::format("{} {}: the suffix names the format; patterns .rle, .mc, .cells, .lif, .life "
                    "and .l (each also .gz), pictures .png and checkpoints .tsr are accepted",
                    option, printable(path)));
  }
  if (path != "-") check_writable(option, path);
  return *kind;
}

void check_output_states(const std::string& option, const std::string& path) {
  if (path == "-" || kind_of(path) != OutputKind::pattern || holds_states(pattern_format_of(path)))
    return;
  throw InputError(
      fmt::format("{} {}: cells of more than two states are written as .rle and .mc alone", option,
                  printable(path)));
}

void write_checkpoint_of(Universe& universe, const CheckpointInfo& from, const std::string& path) {
  CheckpointInfo info = from;
  info.rule = universe.spec();
  info.generation = universe.generation();
  const Rect extent = universe.extent();
  if (universe.info().processes > 1 && AtomicFile::replaces(path)) {
    const ShardOrder order = order_shards(path, info, extent, info.rule.rule.planes());
    write_manifest(order, universe.write_shards(order));
  } else {
    write_checkpoint(path, info, *universe.pieces(extent));
  }
}

CheckpointInfo load_checkpoint(CheckpointReader& reader, Universe& universe) {
  const RuleSpec& spec = universe.spec();
  if (reader.planes() != spec.rule.planes()) {
    throw InputError(fmt::format("the checkpoint's cells have {} bit planes; those of {} have {}",
                                 reader.planes(), to_string(spec), spec.rule.planes()));
  }
  if (universe.info().processes > 1) reader.take_turns();
  universe.load(reader);
  universe.set_generation(reader.info().generation);
  return reader.info();
}

void check_picture(const std::string& path, const Rect& cells) {
  constexpr std::int64_t kMostSide = 0x7fffffff;  // of PNG
  constexpr std::int64_t kMostPixels = std::int64_t{1} << 36;
  if (std::max(cells.width, cells.height) > kMostSide || cells.width > kMostPixels / cells.height) {
    throw InputError(
        fmt::format("{}: a picture of {}x{} pixels; up to {} per side and 2^36 in all are accepted",
                    printable(path), cells.width, cells.height, kMostSide));
  }
}

void write_picture(const std::string& path, const CellGrid& cells, const Rule& rule) {
  if (!shown_by_state(rule)) {
    write_png(path, cells);
    return;
  }
  DensityImage image;
  image.reshape(cells.width(), cells.height());
  state_pixels(cells, 1, image);
  write_png(path, image, palette_of_states(Theme::light, rule));
}

void write_output(const std::string& option, const std::string& path, Universe& universe,
                  const CheckpointInfo& from) {
  switch (check_output(option, path)) {
    case OutputKind::pattern:
      write_pattern(path, universe.pattern());
      break;
    case OutputKind::picture: {
      const Rect cells = universe.extent();
      check_picture(path, cells);
      write_picture(path, universe.window(cells), universe.spec().rule);
      break;
    }
    case OutputKind::checkpoint:
      write_checkpoint_of(universe, from, path);
      break;
  }
}

}  // namespace tessera
