#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/geometry.h"

namespace tessera {

/// The canonical form of a grid of cells, the only one that files, tests and backends exchange.
///
/// 64-bit words, row-major, ceil(width/64) words per row; the least significant bit of a word is
/// its leftmost cell; padding bits beyond the width are always zero. Any width and height from 1.
class BitGrid {
 public:
  /// All cells dead. Throws InputError unless 1 <= width, height and the words fit 2^46 bytes;
  /// throws std::bad_alloc when the machine does not have them.
  BitGrid(std::int64_t width, std::int64_t height);

  std::int64_t width() const { return width_; }
  std::int64_t height() const { return height_; }
  std::int64_t words_per_row() const { return words_per_row_; }

  /// The words of row y; padding bits written non-zero must be cleared by `clear_padding`.
  std::uint64_t* row(std::int64_t y) { return words_.data() + y * words_per_row_; }
  const std::uint64_t* row(std::int64_t y) const { return words_.data() + y * words_per_row_; }
  std::span<std::uint64_t> words() { return words_; }
  std::span<const std::uint64_t> words() const { return words_; }

  /// One cell; 0 <= x < width, 0 <= y < height (not checked).
  bool get(std::int64_t x, std::int64_t y) const { return row(y)[x / 64] >> (x % 64) & 1; }
  void set(std::int64_t x, std::int64_t y, bool alive) {
    const std::uint64_t bit = std::uint64_t{1} << (x % 64);
    std::uint64_t& word = row(y)[x / 64];
    word = alive ? word | bit : word & ~bit;
  }
  /// Makes `length` cells alive from (x, y) rightwards; all must lie inside.
  void fill_run(std::int64_t x, std::int64_t y, std::int64_t length);

  /// 64 cells of row y from column x on; those beyond the row's last word are dead.
  std::uint64_t bits(std::int64_t x, std::int64_t y) const {
    const std::uint64_t* words = row(y) + x / 64;
    const int shift = static_cast<int>(x % 64);
    if (shift == 0) return *words;
    return *words >> shift | (x / 64 + 1 < words_per_row_ ? words[1] << (64 - shift) : 0);
  }

  /// The bits of a row's last word that are cells.
  std::uint64_t last_word_mask() const;
  void clear_padding();
  /// False when a bit beyond the width is set, as one from a file may be.
  bool padding_is_clear() const;

  /// Number of live cells.
  std::int64_t population() const;
  /// Box around the live cells in this grid's own coordinates, or nothing when all are dead.
  std::optional<Bounds> bounds() const;

  /// A copy of the cells of `rect`, which lies inside this grid.
  BitGrid window(const Rect& rect) const;
  /// Replaces the cells of `to` (a rectangle of the size of `cells` at (x, y), inside this grid).
  void paste(std::int64_t x, std::int64_t y, const BitGrid& cells);

  bool operator==(const BitGrid&) const = default;

  /// Bytes that a grid of this size takes, or nothing when they exceed 2^46, which no machine has.
  static std::optional<std::int64_t> bytes(std::int64_t width, std::int64_t height);

 private:
  std::int64_t width_;
  std::int64_t height_;
  std::int64_t words_per_row_;
  std::vector<std::uint64_t> words_;
};

}  // namespace tessera
