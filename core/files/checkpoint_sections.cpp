#include "core/files/checkpoint_sections.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/paths.h"

namespace tessera {
namespace {

// A text of a JSON object, or null.
const nlohmann::json* member(const nlohmann::json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? &*found : nullptr;
}

}  // namespace

CheckpointSections::CheckpointSections(CheckpointInput& input, const CheckpointHeader& header)
    : input_(input),
      header_(header),
      extent_(header.extent),
      batch_(static_cast<std::size_t>(header.planes)) {}

std::optional<Piece> CheckpointSections::next() {
  if (at_ == batch_.front().size() && !read_batch()) {
    if (shards_.empty()) return std::nullopt;
    if (!sharded_) {
      sharded_ = std::make_unique<CheckpointShards>(input_.folder(), header_, shards_, in_turns_);
    }
    return sharded_->next();
  }
  const Rect place = next_place();
  CellGrid cells(place.width, place.height, static_cast<int>(batch_.size()));
  const std::size_t begin = at_ + kPlaceWords, count = cells.plane(0).words().size();
  for (std::size_t p = 0; p < batch_.size(); p++) {
    BitGrid& plane = cells.plane(static_cast<int>(p));
    const std::span<const std::uint64_t> words(batch_[p]);
    if (!std::ranges::equal(words.subspan(at_, kPlaceWords),
                            std::span(batch_[0]).subspan(at_, kPlaceWords)))
      input_.damaged("the planes before this do not have the same pieces");
    std::ranges::copy(words.subspan(begin, count), plane.words().begin());
    if (!plane.padding_is_clear()) input_.damaged("a piece before this has cells beyond its width");
  }
  at_ = begin + count;
  pieces_++;
  return Piece{{place.x, place.y}, std::move(cells)};
}

// Where the piece at at_ lies; the words of its cells are there.
Rect CheckpointSections::next_place() const {
  const std::span<const std::uint64_t> words = std::span(batch_.front()).subspan(at_);
  if (words.size() < kPlaceWords) input_.damaged("the pieces before this are cut short");
  const Rect place{static_cast<std::int64_t>(words[0]), static_cast<std::int64_t>(words[1]),
                   static_cast<std::int64_t>(words[2] & 0xffffffff),
                   static_cast<std::int64_t>(words[2] >> 32)};
  if (!lies_within(place, extent_)) {
    input_.damaged(
        fmt::format("a piece before this, of {}x{} cells at ({}, {}), is empty or lies "
                    "outside the {}x{} cells at ({}, {}) that the header names",
                    place.width, place.height, place.x, place.y, extent_.width, extent_.height,
                    extent_.x, extent_.y));
  }
  const auto count = static_cast<std::uint64_t>(ceil_div(place.width, 64) * place.height);
  if (count > words.size() - kPlaceWords) input_.damaged("the pieces before this are cut short");
  return place;
}

CheckpointSections::Head CheckpointSections::read_head() {
  Head head{std::string(4, '\0')};
  input_.read(head.type.data(), head.type.size());
  head.bytes = input_.read_u32();
  return head;
}

// Brings the next pieces; false at the end.
bool CheckpointSections::read_batch() {
  while (!ended_) {
    const Head head = read_head();
    if (head.type == kPlaneSection) {
      read_plane(head.bytes, 0);
      for (std::size_t p = 1; p < batch_.size(); p++) {
        const Head other = read_head();
        if (other.type != kPlaneSection) {
          input_.damaged(fmt::format("bit plane {} of the pieces before this is missing", p));
        }
        read_plane(other.bytes, p);
      }
      at_ = 0;
      return true;
    }
    if (head.type == kEndSection) {
      read_end(head.bytes);
    } else if (head.type == kShardSection) {
      read_shards(head.bytes);
    } else {
      input_.damaged(fmt::format("a section of the unknown type '{}'; PLNE, SHRD and END. are read",
                                 printable(head.type)));
    }
  }
  return false;
}

void CheckpointSections::read_plane(std::uint32_t bytes, std::size_t plane) {
  constexpr std::size_t kMostBytes = kMaxBatchWords * sizeof(std::uint64_t);
  constexpr std::uint32_t kNumbers = 2 * sizeof(std::uint32_t);
  if (bytes < kNumbers || bytes > kNumbers + ZSTD_compressBound(kMostBytes)) {
    input_.damaged(fmt::format("a section PLNE of {} bytes; {} to {} are accepted", bytes, kNumbers,
                               kNumbers + ZSTD_compressBound(kMostBytes)));
  }
  const std::uint32_t number = input_.read_u32(), unpacked = input_.read_u32();
  if (number != plane) {
    input_.damaged(fmt::format("bit plane {} where plane {} is expected", number, plane));
  }
  if (unpacked == 0 || unpacked > kMostBytes || unpacked % sizeof(std::uint64_t) != 0) {
    input_.damaged(fmt::format("{} bytes of pieces; whole words and at most {} bytes are accepted",
                               unpacked, kMostBytes));
  }
  std::vector<char> frame(bytes - kNumbers);
  input_.read(frame.data(), frame.size());
  input_.check_checksum();
  std::vector<std::uint64_t>& words = batch_[plane];
  words.resize(unpacked / sizeof(std::uint64_t));
  if (ZSTD_decompress(words.data(), unpacked, frame.data(), frame.size()) != unpacked)
    input_.damaged("the section before this does not unpack to its pieces");
  swap_unless_little_endian(words);
  if (words.size() != batch_.front().size())
    input_.damaged("the planes before this do not have the same pieces");
}

std::vector<Shard> CheckpointSections::shards() {
  const Head head = read_head();
  if (head.type == kShardSection) read_shards(head.bytes);
  return shards_;
}

void CheckpointSections::read_shards(std::uint32_t bytes) {
  using Json = nlohmann::json;
  if (header_.shard || pieces_ > 0 || !shards_.empty())
    input_.damaged("a section SHRD, which comes once, before any cells, and in no shard");
  if (bytes > kMaxShardText || bytes > input_.left()) {
    input_.damaged(
        fmt::format("a section SHRD of {} bytes; at most {} and no more than the file "
                    "has are accepted",
                    bytes, kMaxShardText));
  }
  std::string text(bytes, '\0');
  input_.read(text.data(), text.size());
  input_.check_checksum();
  const Json list = Json::parse(text, nullptr, false);
  if (!list.is_array() || list.empty())
    input_.damaged("the section SHRD before this is not a list of files");
  for (const Json& each : list) {
    Shard& shard = shards_.emplace_back();
    const Json* const file = member(each, "file");
    const Json* const checksum = member(each, "checksum");
    if (file) shard.file = file->get<std::string>();
    const std::string digits = checksum ? checksum->get<std::string>() : std::string();
    const char* const end = digits.data() + digits.size();
    const auto [rest, bad] = std::from_chars(digits.data(), end, shard.checksum, 16);
    // A name with a folder could lead anywhere.
    if (shard.file.empty() ||
        shard.file.find_first_of(std::string_view("/\0", 2)) != std::string::npos ||
        digits.size() != 16 || bad != std::errc() || rest != end) {
      input_.damaged(
          "a file in the section SHRD before this has no name without a folder, or no "
          "checksum of 16 hexadecimal digits");
    }
  }
}

void CheckpointSections::read_end(std::uint32_t bytes) {
  if (bytes != sizeof(std::uint64_t))
    input_.damaged(fmt::format("a section END. of {} bytes; 8 are expected", bytes));
  const std::uint64_t pieces = input_.read_u64();
  input_.check_checksum();
  if (pieces != pieces_)
    input_.damaged(fmt::format("the checkpoint has {} pieces, but names {}", pieces_, pieces));
  input_.check_end();
  ended_ = true;
}

}  // namespace tessera
