#pragma once

#include <cstdint>
#include <vector>

#include "backends/cpu/box_kernel.h"
#include "core/cells/bit_grid.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// How a grid lies in memory where boxes of cells are summed: columns in 64 strips, rows in eight
/// bands.
///
/// Bit b of word j is column b * columns() + j, so that neighbours in a row are in neighbouring
/// words without a shift, and lane i of a group of eight words has the rows of band i, so that
/// those above and below are groups, too. `reach` groups all round hold what the cells see beyond
/// their strips and bands: cells of the next one, the other side of a torus, or nothing. Where 64
/// or 8 do not divide the sides, so do the last strips and bands.
class BoxLayout {
 public:
  BoxLayout(const BackendSpec& spec, int reach);

  std::int64_t columns() const { return columns_; }
  std::int64_t rows() const { return rows_; }
  /// Groups on each side that hold what is seen.
  std::int64_t reach() const { return reach_; }
  /// Words of a row, and of an array.
  std::int64_t row_words() const { return (columns_ + 2 * reach_) * kBoxLanes; }
  std::int64_t words() const { return (rows_ + 2 * reach_) * row_words(); }
  /// The same as row_words().
  static std::int64_t row_words_of(const BackendSpec& spec, int reach);
  /// The same as words(), or nothing where it exceeds 2^43, which no machine has.
  static std::optional<std::int64_t> words_of(const BackendSpec& spec, int reach);

  /// The first word of the group of a row and a column, from -reach on.
  std::int64_t at(std::int64_t row, std::int64_t column) const {
    return (row + reach_) * row_words() + (column + reach_) * kBoxLanes;
  }

  /// Copies the cells that the rows `first` to `last` - 1 of all bands see beyond their strips.
  void fill_columns(std::uint64_t* words, std::int64_t first, std::int64_t last) const;
  /// Likewise beyond their bands, when all columns are filled.
  void fill_rows(std::uint64_t* words) const;

  /// Replaces a rectangle at (x, y) by cells.
  void put(std::uint64_t* words, std::int64_t x, std::int64_t y, const BitGrid& cells) const;
  /// The cells of a rectangle of the grid.
  BitGrid take(const std::uint64_t* words, const Rect& rect) const;

 private:
  std::vector<BoxMove> moves_of(std::int64_t column) const;

  std::int64_t width_, height_, reach_, columns_, rows_;
  bool torus_;
  std::vector<BoxMove> moves_;  // of the groups that hold what is not their own
};

}  // namespace tessera
