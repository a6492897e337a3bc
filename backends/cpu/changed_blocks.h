#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/geometry.h"

namespace tessera {

/// Which blocks of a grid the last generation changed, a block being 64 cells of a row. A cell
/// whose neighbourhood is that of the generation before stays what it is, whatever the rule: so
/// blocks that have no changed one among themselves and their eight neighbours need no step.
/// Around the grid lies a ring of blocks for the cells that its edge sees there.
class ChangedBlocks {
 public:
  static constexpr std::int64_t kCells = 64;

  /// Of a grid in which nothing has changed.
  ChangedBlocks(std::int64_t width, std::int64_t height);
  static std::int64_t bytes_needed(std::int64_t width, std::int64_t height);

  /// The block of a cell, which may lie one cell outside the grid, has changed.
  void mark(std::int64_t x, std::int64_t y);
  void mark_all();

  /// Whether a row or one beside it has changed blocks.
  bool near(std::int64_t y) const { return count(y - 1) + count(y) + count(y + 1) != 0; }
  /// Whether a block or one of the eight around it has changed.
  bool near(std::int64_t block, std::int64_t y) const {
    const std::uint8_t* const at = now_.data() + (y + 1) * pitch_ + block;
    const auto any = [](const std::uint8_t* three) { return three[0] | three[1] | three[2]; };
    return (any(at - pitch_) | any(at) | any(at + pitch_)) != 0;
  }

  /// What the next generation changes is told row by row, of all rows: first that a row begins,
  /// then its blocks. Rows may be told by several threads.
  void begin_row(std::int64_t y);
  void change(std::int64_t block, std::int64_t y) {
    next_[static_cast<std::size_t>((y + 1) * pitch_ + block + 1)] = 1;
    next_counts_[static_cast<std::size_t>(y + 1)]++;
  }
  /// Takes what was told as the last generation. The ring is as if it had not changed.
  void advance();

  /// Changed blocks.
  std::int64_t total() const;
  /// Rows at which `parts` parts begin that have about as many changed blocks each; the last entry
  /// is the number of rows.
  std::vector<std::int64_t> shares(int parts) const;

 private:
  int count(std::int64_t y) const { return counts_[static_cast<std::size_t>(y + 1)]; }

  std::int64_t blocks_, rows_, pitch_;
  std::vector<std::uint8_t> now_, next_;
  std::vector<int> counts_, next_counts_;  // of each row
};

}  // namespace tessera
