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
  CheckpointHeader header = read_checkpoint_header(*input_);
  if (header.shard) {
    throw InputError(
        fmt::format("{}: this is one of several files of a checkpoint, which is opened "
                    "by its own name, without \".shard-\" and what follows",
                    input_->path()));
  }
  if (header.version == 1) {
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

void CheckpointReader::take_turns() {
  if (auto* const sections = dynamic_cast<CheckpointSections*>(pieces_.get()))
    sections->take_turns();
}

bool is_checkpoint(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const OpenFile file(std::fopen(path.c_str(), "rbe"));
  char magic[8] = {};
  return file && std::fread(magic, 1, sizeof magic, file.get()) == sizeof magic &&
         std::string_view(magic, sizeof magic) == kCheckpointMagic;
}

}  // namespace tessera
