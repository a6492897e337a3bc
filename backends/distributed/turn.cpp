#include "backends/distributed/turn.h"

#include <algorithm>

namespace tessera {

namespace {

std::uint64_t reversed(std::uint64_t word) {
  constexpr std::uint64_t kMasks[] = {0x5555555555555555u, 0x3333333333333333u,
                                      0x0f0f0f0f0f0f0f0fu, 0x00ff00ff00ff00ffu,
                                      0x0000ffff0000ffffu, 0x00000000ffffffffu};
  int shift = 1;
  for (const std::uint64_t mask : kMasks) {
    word = (word >> shift & mask) | (word & mask) << shift;
    shift *= 2;
  }
  return word;
}

// Row `from` into row `to`, from right to left.
void mirror_row(const BitGrid& cells, std::int64_t from, BitGrid& out, std::int64_t to) {
  for (std::int64_t i = 0; i < out.words_per_row(); i++) {
    const std::int64_t x = cells.width() - 64 * (i + 1);
    out.row(to)[i] = reversed(x >= 0 ? cells.bits(x, from) : cells.bits(0, from) << -x);
  }
}

// Rows of the copy are rows of the original.
BitGrid turned_rows(const BitGrid& cells, const Turn& turn) {
  BitGrid out(cells.width(), cells.height());
  for (std::int64_t y = 0; y < out.height(); y++) {
    const std::int64_t from = turn.down.y > 0 ? y : cells.height() - 1 - y;
    if (turn.right.x > 0) {
      std::copy_n(cells.row(from), cells.words_per_row(), out.row(y));
    } else {
      mirror_row(cells, from, out, y);
    }
  }
  return out;
}

// Rows of the copy are columns of the original.
BitGrid turned_columns(const BitGrid& cells, const Turn& turn) {
  BitGrid out(cells.height(), cells.width());
  for (std::int64_t y = 0; y < out.height(); y++) {
    const std::int64_t from = turn.down.x > 0 ? y : cells.width() - 1 - y;
    for (std::int64_t x = 0; x < out.width(); x++)
      out.set(x, y, cells.get(from, turn.right.y > 0 ? x : cells.height() - 1 - x));
  }
  return out;
}

}  // namespace

CellGrid turned(const CellGrid& cells, const Turn& turn) {
  if (turn.none()) return cells;
  const bool rows = turn.right.x != 0;
  CellGrid out(rows ? cells.width() : cells.height(), rows ? cells.height() : cells.width(),
               cells.planes());
  for (int p = 0; p < cells.planes(); p++)
    out.plane(p) = rows ? turned_rows(cells.plane(p), turn) : turned_columns(cells.plane(p), turn);
  return out;
}

}  // namespace tessera
