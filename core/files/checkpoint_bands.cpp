#include "core/files/checkpoint_bands.h"

#include <fmt/format.h>
#include <zstd.h>

#include <span>
#include <utility>
#include <vector>

namespace tessera {

CheckpointBands::CheckpointBands(CheckpointInput& input, const CheckpointHeader& header)
    : input_(input), extent_(header.extent), bands_(header.extent) {
  // The smallest block is a count, a frame of one repeated byte, and a checksum.
  constexpr std::int64_t kLeastBlock = 4 + 9 + 8;
  if (!BitGrid::bytes(extent_.width, extent_.height) ||
      bands_.count() > input_.left() / kLeastBlock) {
    input_.damaged(fmt::format("a grid of {}x{} cells cannot be in the {} bytes that follow",
                               extent_.width, extent_.height, input_.left()));
  }
}

std::optional<Piece> CheckpointBands::next() {
  if (band_ == bands_.count()) {
    input_.check_end();
    return std::nullopt;
  }
  const Rect at = bands_.at(band_++);
  BitGrid cells(at.width, at.height);
  const std::span<std::uint64_t> words = cells.words();
  const std::uint32_t size = input_.read_u32();
  if (size > ZSTD_compressBound(words.size_bytes())) {
    input_.damaged(fmt::format("a block of {} bytes is longer than its cells need", size));
  }
  std::vector<char> frame(size);
  input_.read(frame.data(), frame.size());
  input_.check_checksum();
  const std::size_t got =
      ZSTD_decompress(words.data(), words.size_bytes(), frame.data(), frame.size());
  if (got != words.size_bytes())
    input_.damaged("the block before this does not unpack to its cells");
  swap_unless_little_endian(words);
  if (!cells.padding_is_clear())
    input_.damaged("the block before this has cells beyond the grid's width");
  return Piece{{at.x, at.y}, std::move(cells)};
}

}  // namespace tessera
