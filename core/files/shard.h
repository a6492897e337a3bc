#pragma once

#include <cstdint>
#include <string>

#include "core/base/geometry.h"

namespace tessera {

/// One of several files that hold the cells of a checkpoint, each written by a process of its own.
/// It lies in the folder of the checkpoint, which names it in its section SHRD.
struct Shard {
  std::string file;            ///< its name, without a folder
  std::uint64_t checksum = 0;  ///< its last one
};

/// What a process must know to write its shard.
struct ShardOrder {
  std::string path;  ///< of the checkpoint
  /// Distinguishes its shards from those of the checkpoint that it replaces.
  std::int64_t series = 0;
  std::string header;  ///< of the checkpoint
  Rect extent;
  int planes = 1;
};

}  // namespace tessera
