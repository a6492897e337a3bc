#include "apps/tessera/run/run_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "apps/common/outputs.h"
#include "apps/common/video_pipe.h"
#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/files/atomic_file.h"
#include "core/files/checkpoint.h"

namespace tessera {
namespace {

void need(const std::string& option, const std::string& value, const char* other, bool given) {
  if (!value.empty() && !given)
    throw InputError(fmt::format("{} needs {}, which is missing", option, other));
}

// `shown`: there are frames, or a picture.
void check_picture_options(const PictureOptions& o, bool shown) {
  const char* const any = "--frames, --video or --out FILE.png";
  need("--view", o.view, any, shown);
  need("--scale", o.scale, any, shown);
  need("--theme", o.theme, any, shown);
  need("--colours", o.colours, any, shown);
  need("--grid-lines", o.grid_lines ? "on" : "", any, shown);
}

// Refuses what a batch does not have.
void check_batch(const RunOptions& o) {
  const auto refuse = [](const char* option, bool given) {
    if (given)
      throw InputError(fmt::format(
          "--batch and {} exclude each other: a universe of a batch is had alone by its seed or "
          "pattern, in a run without --batch",
          option));
  };
  refuse("--out", !o.outputs.empty());
  refuse("--frames", !o.frames.empty());
  refuse("--video", !o.video.empty());
  refuse("--checkpoint", !o.checkpoint.empty());
  refuse("--resume", !o.resume.empty());
  refuse("--tune", o.tune);
  refuse("--space tiles", o.device.space == "tiles");
  refuse("--halo", o.device.halo != "auto");
  refuse("--link", o.device.link != "auto");
}

// Refuses a result that would take the place of what the person had: of a pattern that is read, or
// of a file that is no checkpoint.
void check_kept(const RunOptions& o, const std::string& option, const std::string& path) {
  std::error_code unknown;
  const auto same = [&](const std::string& read) {
    return !read.empty() && std::filesystem::equivalent(read, path, unknown);
  };
  if (same(o.start.pattern) || std::ranges::any_of(o.more_patterns, same) ||
      (option != "--checkpoint" && same(o.resume))) {
    throw InputError(fmt::format("{} {}: this file is read; give the results another name", option,
                                 printable(path)));
  }
  if (option != "--checkpoint" || same(o.resume)) return;
  for (const std::string& replaced : {path, previous_of(path)}) {
    if (std::filesystem::is_regular_file(replaced, unknown) &&
        std::filesystem::file_size(replaced, unknown) > 0 && !is_checkpoint(replaced)) {
      throw InputError(fmt::format("{} {}: {} is no checkpoint; give the checkpoint another name",
                                   option, printable(path),
                                   replaced == path ? "this file" : printable(replaced)));
    }
  }
}

// The same for every spelling of a path.
std::filesystem::path place_of(const std::string& path) {
  std::error_code unknown;
  const std::filesystem::path place =
      std::filesystem::weakly_canonical(std::filesystem::absolute(path, unknown), unknown);
  return unknown ? std::filesystem::path(path).lexically_normal() : place;
}

}  // namespace

void check_combinations(const RunOptions& o) {
  if (o.batch.empty() && !o.more_patterns.empty()) {
    throw InputError(fmt::format("run: '{}' is not expected here; several patterns need --batch N",
                                 o.more_patterns.front()));
  }
  if (!o.batch.empty()) check_batch(o);
  if (!o.resume.empty() && o.start.any()) {
    throw InputError(
        "--resume takes cells, rule and size from the checkpoint; leave out PATTERN, --soup, "
        "--seed, --size "
        "and --rule");
  }
  if (o.resume.empty() && o.start.pattern.empty() && o.start.soup.empty()) {
    throw InputError("nothing to run: give a PATTERN, --soup DENSITY or --resume FILE");
  }
  if (o.gens.empty() && o.max_time.empty()) {
    throw InputError("the length of the run is missing: give --gens N, --max-time TIME, or both");
  }
  if (o.tune && !o.resume.empty())
    throw InputError(
        "--tune needs a PATTERN or --soup; for a checkpoint, run 'tessera tune' first");
  if (!o.frames.empty() && !o.video.empty())
    throw InputError("--frames and --video exclude each other");
  const bool frames = !o.frames.empty() || !o.video.empty();
  check_picture_options(o.pictures,
                        frames || std::ranges::any_of(o.outputs, [](const std::string& path) {
                          return path.ends_with(".png");
                        }));
  need("--every", o.every, "--stats, --frames, --video or --batch",
       frames || !o.stats.empty() || !o.batch.empty());
  need("--fps", o.fps, "--video", !o.video.empty());
  need("--checkpoint-every", o.checkpoint_every, "--checkpoint", !o.checkpoint.empty());
  int on_stdout = (o.json ? 1 : 0) + (o.stats == "-" ? 1 : 0);
  for (const std::string& path : o.outputs) on_stdout += path == "-" ? 1 : 0;
  if (on_stdout > 1)
    throw InputError(
        "more than one of --json, --stats - and --out - would write to standard output");
}

void check_paths(const RunOptions& o) {
  std::vector<std::string> all = o.outputs;
  for (const std::string& path : o.outputs) check_output("--out", path);
  if (!o.checkpoint.empty()) {
    check_writable("--checkpoint", o.checkpoint);
    check_kept(o, "--checkpoint", o.checkpoint);
    all.push_back(o.checkpoint);
    all.push_back(previous_of(o.checkpoint));
  }
  if (!o.stats.empty() && o.stats != "-") {
    check_writable("--stats", o.stats);
    check_kept(o, "--stats", o.stats);
    all.push_back(o.stats);
  }
  if (!o.video.empty()) {
    std::error_code unknown;
    check_video_suffix("--video", o.video);
    check_writable("--video", o.video);
    check_kept(o, "--video", o.video);
    all.push_back(o.video);
    if (!o.resume.empty() && std::filesystem::exists(o.video, unknown)) {
      throw InputError(
          fmt::format("--video {}: an existing video cannot be continued; give the rest another "
                      "name and join them with ffmpeg",
                      printable(o.video)));
    }
  }
  std::set<std::filesystem::path> places;
  for (const std::string& path : all) {
    if (path != "-" && !places.insert(place_of(path)).second)
      throw InputError(fmt::format("{} is named twice as a file to write", printable(path)));
  }
}

void check_states(const RunOptions& o, const Rule& rule) {
  if (rule.states() <= 2) return;
  for (const std::string& path : o.outputs) check_output_states("--out", path);
}

}  // namespace tessera
