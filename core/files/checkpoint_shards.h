#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/files/checkpoint.h"
#include "core/files/piece_source.h"
#include "core/files/shard.h"

namespace tessera {

/// Begins a checkpoint whose cells are written by several processes:
///
///   1. one process calls `order_shards` and passes the order on,
///   2. each calls `write_shard` with a number of its own,
///   3. the first one names them all by `write_manifest`, after which they are the checkpoint.
///
/// Until then the old checkpoint and all of its files stay as they are. Files are called
/// PATH.shard-SERIES-NUMBER, and no checkpoint in the folder names one of that series yet. Throws
/// as write_checkpoint does.
ShardOrder order_shards(const std::string& path, const CheckpointInfo& info, const Rect& extent,
                        int planes);

/// Writes the pieces of one process, which lie in the order's extent. Throws as write_checkpoint
/// does.
Shard write_shard(const ShardOrder& order, int number, PieceSource& cells);

/// Puts the checkpoint in its place and removes unused shards. Throws FileError where one of the
/// shards cannot be seen from here, and as write_checkpoint does.
void write_manifest(const ShardOrder& order, const std::vector<Shard>& shards);

/// Removes the shards of the checkpoint at `path` and of its predecessors that no checkpoint in the
/// folder names, its .prev and renamed ones included; what cannot be removed stays.
void remove_unused_shards(const std::string& path);

struct CheckpointHeader;

/// The cells of all shards of a checkpoint, one file after the other, or in turns.
class CheckpointShards {
 public:
  /// `header` is the checkpoint's, and `folder` its folder.
  CheckpointShards(std::string folder, const CheckpointHeader& header, std::vector<Shard> shards,
                   bool in_turns);
  ~CheckpointShards();

  /// Throws as CheckpointReader does, and ParseError for a file that is not the named one.
  std::optional<Piece> next();

 private:
  struct Opened;

  std::unique_ptr<Opened> open(const Shard& shard) const;

  std::string folder_;
  std::unique_ptr<CheckpointHeader> header_;
  std::vector<Shard> shards_;
  std::size_t most_;      // shards that are read at a time
  std::size_t next_ = 0;  // shard that has not been opened yet
  std::vector<std::unique_ptr<Opened>> opened_;
  std::size_t turn_ = 0;  // of those
};

}  // namespace tessera
