#pragma once

#include <cstdint>
#include <optional>

#include "core/files/checkpoint_header.h"
#include "core/files/checkpoint_input.h"
#include "core/files/piece_source.h"

namespace tessera {

/// The cells of a checkpoint of version 1, which is read and no longer written: its header has no
/// planes, and behind it follows for each of the Bands of its extent, in order:
///
///     u32       bytes of its Zstandard frame
///     frame     the words of its canonical grid, little-endian
///     u64       checksum, as in version 2
///
/// The file ends behind the last one.
class CheckpointBands : public PieceSource {
 public:
  /// `input`, which must outlive this, stands behind the header. Throws ParseError when so many
  /// cells cannot be in the bytes that follow.
  CheckpointBands(CheckpointInput& input, const CheckpointHeader& header);

  Rect extent() const override { return extent_; }
  /// Throws as CheckpointReader does.
  std::optional<Piece> next() override;

 private:
  CheckpointInput& input_;
  Rect extent_;
  Bands bands_;
  std::int64_t band_ = 0;
};

}  // namespace tessera
