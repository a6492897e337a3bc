#include "core/files/checkpoint_output.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "core/base/error.h"
#include "core/base/paths.h"

namespace tessera {
namespace {

// The fastest of Zstandard's levels that still compresses by a model; it keeps up with disks.
constexpr int kCheckpointCompression = 1;

}  // namespace

CheckpointOutput::CheckpointOutput(const std::string& path, const std::string& header,
                                   const Rect& extent, int planes)
    : file_(path),
      name_(printable(path)),
      extent_(extent),
      context_(ZSTD_createCCtx(), &ZSTD_freeCCtx),
      words_(static_cast<std::size_t>(planes)) {
  if (!context_) throw std::bad_alloc();
  write(kCheckpointMagic.data(), kCheckpointMagic.size());
  write_number(kCheckpointVersion);
  write_number(static_cast<std::uint32_t>(header.size()));
  write(header.data(), header.size());
  write_checksum();
}

void CheckpointOutput::write(const void* data, std::size_t bytes) {
  file_.write(data, bytes);
  checksum_.add(data, bytes);
}

template <class Unsigned>
void CheckpointOutput::write_number(Unsigned value) {
  write(little_endian(value).data(), sizeof value);
}

void CheckpointOutput::begin_section(std::string_view type, std::size_t bytes) {
  write(type.data(), type.size());
  write_number(static_cast<std::uint32_t>(bytes));
}

std::uint64_t CheckpointOutput::write_checksum() {
  const std::uint64_t value = checksum_.value();
  write_number(value);
  return value;
}

void CheckpointOutput::add(const Piece& piece) {
  const Rect rect = piece.rect();
  if (!lies_within(rect, extent_) || piece.cells.planes() != static_cast<int>(words_.size())) {
    throw InputError(fmt::format(
        "{}: a checkpoint takes pieces of {} bit planes that lie in its extent; one of {}x{} "
        "cells at ({}, {}) has {}",
        name_, words_.size(), rect.width, rect.height, rect.x, rect.y, piece.cells.planes()));
  }
  const Bands bands(rect);
  for (std::int64_t i = 0; i < bands.count(); i++) {
    const Rect band = bands.at(i);
    if (band == rect) {
      add_band(band, piece.cells);
    } else {
      add_band(band,
               piece.cells.window({band.x - rect.x, band.y - rect.y, band.width, band.height}));
    }
  }
}

void CheckpointOutput::add_band(const Rect& band, const CellGrid& cells) {
  if (cells.population() == 0) return;
  const std::size_t size = kPlaceWords + cells.plane(0).words().size();
  if (words_.front().size() + size > kMaxBatchWords) flush();
  for (std::size_t plane = 0; plane < words_.size(); plane++) {
    std::vector<std::uint64_t>& to = words_[plane];
    to.insert(to.end(), {static_cast<std::uint64_t>(band.x), static_cast<std::uint64_t>(band.y),
                         static_cast<std::uint64_t>(band.width) |
                             static_cast<std::uint64_t>(band.height) << 32});
    const std::span<const std::uint64_t> words = cells.plane(static_cast<int>(plane)).words();
    to.insert(to.end(), words.begin(), words.end());
  }
  pieces_++;
}

// Writes the sections of the pieces that have been gathered.
void CheckpointOutput::flush() {
  if (words_.front().empty()) return;
  for (std::size_t plane = 0; plane < words_.size(); plane++) write_plane(plane);
}

void CheckpointOutput::write_plane(std::size_t plane) {
  const std::span<std::uint64_t> words(words_[plane]);
  swap_unless_little_endian(words);
  frame_.resize(ZSTD_compressBound(words.size_bytes()));
  const std::size_t size =
      ZSTD_compressCCtx(context_.get(), frame_.data(), frame_.size(), words.data(),
                        words.size_bytes(), kCheckpointCompression);
  if (ZSTD_isError(size)) {
    throw FileError(fmt::format("{}: cannot compress: {}", name_, ZSTD_getErrorName(size)));
  }
  begin_section(kPlaneSection, 2 * sizeof(std::uint32_t) + size);
  write_number(static_cast<std::uint32_t>(plane));
  write_number(static_cast<std::uint32_t>(words.size_bytes()));
  write(frame_.data(), size);
  write_checksum();
  words_[plane].clear();
}

void CheckpointOutput::add(const std::vector<Shard>& shards) {
  auto list = nlohmann::ordered_json::array();
  for (const Shard& shard : shards) {
    list.push_back({{"file", shard.file}, {"checksum", fmt::format("{:016x}", shard.checksum)}});
  }
  // Names need not be UTF-8; but JSON must be, and a name that was changed would not be found.
  std::string text;
  try {
    text = list.dump();
  } catch (const nlohmann::json::exception&) {
    throw InputError(name_ + ": the name of a checkpoint in several files must be UTF-8");
  }
  begin_section(kShardSection, text.size());
  write(text.data(), text.size());
  write_checksum();
}

std::uint64_t CheckpointOutput::end(OldFile old_file) {
  flush();
  begin_section(kEndSection, sizeof(std::uint64_t));
  write_number(pieces_);
  const std::uint64_t last = write_checksum();
  file_.commit(old_file);
  return last;
}

}  // namespace tessera
