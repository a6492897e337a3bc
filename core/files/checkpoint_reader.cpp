#include <fmt/format.h>
#include <sys/stat.h>

#include <utility>

#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/files/checkpoint.h"
#include "core/files/checkpoint_bands.h"
#include "core/files/checkpoint_header.h"
#include "core/files/checkpoint_input.h"
#include "core/files/checkpoint_sections.h"

namespace tessera {

CheckpointReader::CheckpointReader(const std::string& path, std::int64_t max_memory)
    : input_(std::make_unique<CheckpointInput>(path)) {
  char magic[8] = {};
  if (input_->left() >= 8) input_->read(magic, sizeof magic);
  if (std::string_view(magic, sizeof magic) != kCheckpointMagic) {
    throw ParseError(printable(path) + ":byte 0",
                     "this is not a checkpoint of Tessera, which begins with the bytes "
                     "89 54 53 52 0d 0a 1a 0a");
  }
  const std::uint32_t version = input_->read_u32();
  if (version < 1 || version > kCheckpointVersion) {
    input_->damaged(
        fmt::format("the checkpoint has version {} of the format; versions 1 to {} are accepted",
                    version, kCheckpointVersion));
  }
  const std::uint32_t size = input_->read_u32();
  if (size > kMaxCheckpointText || size > input_->left()) {
    input_->damaged(
        fmt::format("a header of {} bytes; at most {} and no more than the file has are accepted",
                    size, kMaxCheckpointText));
  }
  std::string text(size, '\0');
  input_->read(text.data(), text.size());
  input_->check_checksum();
  CheckpointHeader header = parse_checkpoint_header(text, version, *input_);
  if (version == 1) {
    pieces_ = std::make_unique<CheckpointBands>(*input_, header);
  } else {
    pieces_ = std::make_unique<CheckpointSections>(*input_, header);
  }
  extent_ = header.extent;
  planes_ = header.planes;
  info_ = std::move(header.info);
  // On the infinite plane it is the pieces that count.
  if (!info_.rule.bounded() || max_memory == 0) return;
  const std::optional<std::int64_t> bytes = BitGrid::bytes(extent_.width, extent_.height);
  if (!bytes || *bytes > max_memory / planes_) {
    throw InputError(fmt::format("{}: its grid of {}x{} cells takes {} bytes; the limit is {}",
                                 input_->path(), extent_.width, extent_.height,
                                 bytes ? std::to_string(*bytes * planes_) : "more than 2^46",
                                 max_memory));
  }
}

CheckpointReader::~CheckpointReader() = default;

bool is_checkpoint(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const OpenFile file(std::fopen(path.c_str(), "rbe"));
  char magic[8] = {};
  return file && std::fread(magic, 1, sizeof magic, file.get()) == sizeof magic &&
         std::string_view(magic, sizeof magic) == kCheckpointMagic;
}

}  // namespace tessera
