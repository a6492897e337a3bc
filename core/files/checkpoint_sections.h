#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/files/checkpoint_header.h"
#include "core/files/checkpoint_input.h"
#include "core/files/checkpoint_shards.h"
#include "core/files/piece_source.h"

namespace tessera {

/// The cells of a checkpoint of version 2, section by section.
class CheckpointSections : public PieceSource {
 public:
  /// `input`, which must outlive this, stands behind the header.
  CheckpointSections(CheckpointInput& input, const CheckpointHeader& header);

  Rect extent() const override { return extent_; }
  /// Throws as CheckpointReader does.
  std::optional<Piece> next() override;
  /// From now on the pieces of further files come in turns, a piece of each.
  void take_turns() { in_turns_ = true; }
  /// The further files that hold cells; for those who want no cells and never call `next`. Throws
  /// as CheckpointReader does.
  std::vector<Shard> shards();

 private:
  struct Head {
    std::string type;
    std::uint32_t bytes = 0;
  };

  Head read_head();
  bool read_batch();
  void read_plane(std::uint32_t bytes, std::size_t plane);
  void read_shards(std::uint32_t bytes);
  void read_end(std::uint32_t bytes);
  Rect next_place() const;

  CheckpointInput& input_;
  CheckpointHeader header_;
  Rect extent_;
  std::vector<std::vector<std::uint64_t>> batch_;  // unpacked words of each plane
  std::size_t at_ = 0;                             // of the next piece in each of them
  std::uint64_t pieces_ = 0;
  std::vector<Shard> shards_;
  std::unique_ptr<CheckpointShards> sharded_;  // their cells
  bool in_turns_ = false;
  bool ended_ = false;
};

}  // namespace tessera
