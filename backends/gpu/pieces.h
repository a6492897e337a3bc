#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/geometry.h"

namespace tessera::gpu {

/// Cuts a table of width x height things, row by row, into pieces of at most `most` (from 1): whole
/// rows where one fits, else parts of a row. Calls `visit` with each piece. What a device's
/// transfer buffer cannot hold at once goes piece by piece.
template <class Visit>
void for_each_piece(std::int64_t width, std::int64_t height, std::int64_t most, Visit&& visit) {
  const std::int64_t columns = std::min(width, most);
  const std::int64_t rows = std::min(height, most / columns);
  for (std::int64_t y = 0; y < height; y += rows) {
    for (std::int64_t x = 0; x < width; x += columns) {
      visit(Rect{x, y, std::min(columns, width - x), std::min(rows, height - y)});
    }
  }
}

/// The cells of `rect` under a piece of a table of units x rows, a unit being `columns` cells of
/// `rows` rows.
inline Rect cells_under(const Rect& piece, const Rect& rect, std::int64_t columns,
                        std::int64_t rows) {
  const std::int64_t x = piece.x * columns, y = piece.y * rows;
  return {rect.x + x, rect.y + y, std::min(piece.width * columns, rect.width - x),
          std::min(piece.height * rows, rect.height - y)};
}

/// A part of a rectangle of cells as canonical words.
struct WordPiece {
  Rect cells;          ///< in the grid's coordinates
  std::int64_t words;  ///< words of each row
  std::int64_t first;  ///< index of its first word among those of the whole rectangle
  std::int64_t count() const { return words * cells.height; }
};

/// Calls `visit` with pieces of `rect` whose canonical words, counted from its left edge, are
/// `most` or fewer. The words of a piece lie together among those of the rectangle.
template <class Visit>
void for_each_word_piece(const Rect& rect, std::int64_t most, Visit&& visit) {
  const std::int64_t row_words = ceil_div(rect.width, 64);
  for_each_piece(row_words, rect.height, most, [&](const Rect& piece) {
    visit(WordPiece{cells_under(piece, rect, 64, 1), piece.width, piece.y * row_words + piece.x});
  });
}

}  // namespace tessera::gpu
