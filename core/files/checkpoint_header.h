#pragma once

#include <cstdint>
#include <string>

#include "core/files/checkpoint.h"
#include "core/files/checkpoint_input.h"

namespace tessera {

/// What the JSON header of a checkpoint says.
struct CheckpointHeader {
  CheckpointInfo info;
  Rect extent;
  int planes = 1;
  std::optional<int> shard{};  ///< number of the shard that the file is
  std::uint32_t version = kCheckpointVersion;
};

/// The text of a header of today's version. Bytes of the source that are no UTF-8 are replaced.
std::string to_string(const CheckpointHeader& header);

/// The header of a checkpoint as the header of one of its shards.
std::string shard_header(const std::string& header, int number);

/// Reads everything before the cells, of either version; nothing in it is trusted, for a header
/// with a good checksum can still be forged. Throws as CheckpointReader does.
CheckpointHeader read_checkpoint_header(CheckpointInput& input);

/// Throws InputError for cells that a checkpoint at `path` cannot hold.
void check_extent(const std::string& path, const Rect& extent);

}  // namespace tessera
