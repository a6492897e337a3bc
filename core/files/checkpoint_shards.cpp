#include "core/files/checkpoint_shards.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/files/checkpoint_header.h"
#include "core/files/checkpoint_input.h"
#include "core/files/checkpoint_output.h"
#include "core/files/checkpoint_sections.h"

namespace tessera {
namespace {

// Shards that are read in turns: each takes a few megabytes.
constexpr std::size_t kMostAtATime = 64;

constexpr std::string_view kMark = ".shard-";

struct Target {
  std::string folder, name;
};

// The file that a checkpoint's path means, in whose folder the shards are.
Target target_of(const std::string& path) {
  std::error_code error;
  std::filesystem::path target = std::filesystem::canonical(path, error);
  if (error) target = path;
  const std::string folder = target.parent_path().string();
  return {folder.empty() ? std::string(".") : folder, target.filename().string()};
}

std::string beside(const std::string& folder, const std::string& name) {
  return (std::filesystem::path(folder) / name).string();
}

// The series in the name of a shard of `name`; nothing for any other file.
std::optional<std::int64_t> series_of(std::string_view file, std::string_view name) {
  if (!file.starts_with(name)) return std::nullopt;
  file.remove_prefix(name.size());
  if (!file.starts_with(kMark)) return std::nullopt;
  file.remove_prefix(kMark.size());
  std::int64_t series = 0, number = 0;
  const char* const end = file.data() + file.size();
  const auto [dash, bad] = std::from_chars(file.data(), end, series);
  if (bad != std::errc() || dash == end || *dash != '-') return std::nullopt;
  const auto [rest, worse] = std::from_chars(dash + 1, end, number);
  if (worse != std::errc() || rest != end || series < 0 || number < 0) return std::nullopt;
  return series;
}

// Calls see(name) for every file of a folder.
template <class See>
void for_each_file(const std::string& folder, const See& see) {
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
    see(entry->path().filename().string());
}

// The shards that any checkpoint of the folder names, in order: one that was renamed or copied,
// too.
std::vector<std::string> named_shards(const std::string& folder) {
  std::vector<std::string> named;
  for_each_file(folder, [&](const std::string& file) {
    const std::string path = beside(folder, file);
    if (!is_checkpoint(path)) return;
    try {
      CheckpointInput input(path);
      const CheckpointHeader header = read_checkpoint_header(input);
      if (header.version == 1 || header.shard) return;
      for (const Shard& shard : CheckpointSections(input, header).shards())
        named.push_back(shard.file);
    } catch (const Error&) {
      // A damaged checkpoint names nothing that could be used.
    }
  });
  std::ranges::sort(named);
  return named;
}

}  // namespace

ShardOrder order_shards(const std::string& path, const CheckpointInfo& info, const Rect& extent,
                        int planes) {
  check_extent(path, extent);
  const auto [folder, name] = target_of(path);
  std::int64_t series = 0;
  for (const std::string& file : named_shards(folder))
    series = std::max(series, series_of(file, name).value_or(-1) + 1);
  return {path, series, to_string(CheckpointHeader{info, extent, planes}), extent, planes};
}

Shard write_shard(const ShardOrder& order, int number, PieceSource& cells) {
  const auto [folder, name] = target_of(order.path);
  Shard shard{fmt::format("{}{}{}-{}", name, kMark, order.series, number)};
  CheckpointOutput out(beside(folder, shard.file), shard_header(order.header, number), order.extent,
                       order.planes);
  while (const std::optional<Piece> piece = cells.next()) out.add(*piece);
  shard.checksum = out.end(OldFile::replace);
  return shard;
}

void write_manifest(const ShardOrder& order, const std::vector<Shard>& shards) {
  const auto [folder, name] = target_of(order.path);
  for (const Shard& shard : shards) {
    struct stat status {};
    if (::stat(beside(folder, shard.file).c_str(), &status) == 0) continue;
    throw FileError(
        fmt::format("{}: {} was written by another process, but is not to be seen from "
                    "here ({}): all need the same folder",
                    printable(order.path), printable(shard.file), std::strerror(errno)));
  }
  CheckpointOutput out(order.path, order.header, order.extent, order.planes);
  out.add(shards);
  out.end(OldFile::keep_previous);
  remove_unused_shards(order.path);
}

void remove_unused_shards(const std::string& path) {
  const Target target = target_of(path);
  const std::string& folder = target.folder;
  std::vector<std::string> shards;
  for_each_file(folder, [&](const std::string& file) {
    if (series_of(file, target.name)) shards.push_back(file);
  });
  if (shards.empty()) return;
  const std::vector<std::string> named = named_shards(folder);
  for (const std::string& each : shards) {
    if (!std::ranges::binary_search(named, each)) ::unlink(beside(folder, each).c_str());
  }
}

// A shard that is read.
struct CheckpointShards::Opened {
  Shard shard;
  CheckpointInput input;
  std::optional<CheckpointSections> cells{};
};

CheckpointShards::CheckpointShards(std::string folder, const CheckpointHeader& header,
                                   std::vector<Shard> shards, bool in_turns)
    : folder_(std::move(folder)),
      header_(std::make_unique<CheckpointHeader>(header)),
      shards_(std::move(shards)),
      most_(in_turns ? kMostAtATime : 1) {}

CheckpointShards::~CheckpointShards() = default;

std::unique_ptr<CheckpointShards::Opened> CheckpointShards::open(const Shard& shard) const {
  std::unique_ptr<Opened> opened(new Opened{shard, CheckpointInput(beside(folder_, shard.file))});
  const CheckpointHeader header = read_checkpoint_header(opened->input);
  const bool belongs = header.shard && header.version == header_->version &&
                       header.info == header_->info && header.extent == header_->extent &&
                       header.planes == header_->planes;
  if (!belongs) opened->input.damaged("this file does not belong to the checkpoint that names it");
  opened->cells.emplace(opened->input, header);
  return opened;
}

std::optional<Piece> CheckpointShards::next() {
  while (true) {
    while (opened_.size() < most_ && next_ < shards_.size())
      opened_.push_back(open(shards_[next_++]));
    if (opened_.empty()) return std::nullopt;
    if (turn_ >= opened_.size()) turn_ = 0;
    Opened& now = *opened_[turn_];
    if (std::optional<Piece> piece = now.cells->next()) {
      turn_++;
      return piece;
    }
    if (now.input.last_checksum() != now.shard.checksum) {
      now.input.damaged(
          "this is another file than the one that the checkpoint names: its last "
          "checksum differs");
    }
    opened_.erase(opened_.begin() + static_cast<std::ptrdiff_t>(turn_));
  }
}

}  // namespace tessera
