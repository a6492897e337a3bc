#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/cells/bit_grid.h"

namespace tessera {

/// Cells of any number of states as bit planes: bit p of a cell's state is its bit in plane p. With
/// two states there is one plane, the live cells. This is the form in which cells travel through
/// read, edit, upload, files, clipboard, undo and checkpoints.
class CellGrid {
 public:
  /// All cells in state 0. Throws InputError unless 1 <= width, height and 1 <= planes <= 8, and
  /// what BitGrid throws.
  CellGrid(std::int64_t width, std::int64_t height, int planes = 1);
  /// Cells of two states. Implicit, so that live cells may travel wherever cells do.
  CellGrid(BitGrid live) {
    planes_.push_back(std::move(live));
  }  // NOLINT(google-explicit-constructor)

  std::int64_t width() const { return planes_.front().width(); }
  std::int64_t height() const { return planes_.front().height(); }
  int planes() const { return static_cast<int>(planes_.size()); }

  /// Memory that the cells take.
  std::int64_t bytes() const {
    return planes() * static_cast<std::int64_t>(plane(0).words().size_bytes());
  }

  /// Plane p, 0 <= p < planes() (not checked).
  BitGrid& plane(int p) { return planes_[static_cast<std::size_t>(p)]; }
  const BitGrid& plane(int p) const { return planes_[static_cast<std::size_t>(p)]; }

  /// The state of one cell, 0 .. 2^planes - 1; inside the grid (not checked).
  int state(std::int64_t x, std::int64_t y) const;
  void set_state(std::int64_t x, std::int64_t y, int state);

  /// The highest state of any cell that is at least `least`, or 0 where all are below it.
  int highest_state(int least) const;
  /// Number of cells of each state, 2^planes() of them.
  std::vector<std::int64_t> census() const;
  /// The cells whose state is not 0.
  BitGrid live() const;
  /// How many there are.
  std::int64_t population() const;
  /// Box around them in this grid's own coordinates, or nothing when there are none.
  std::optional<Bounds> bounds() const;

  /// A copy of the cells of `rect`, which lies inside this grid.
  CellGrid window(const Rect& rect) const;
  /// Replaces the cells of a rectangle of the size of `cells` at (x, y), inside this grid. Throws
  /// InputError when the numbers of planes differ.
  void paste(std::int64_t x, std::int64_t y, const CellGrid& cells);

  bool operator==(const CellGrid&) const = default;

 private:
  std::vector<BitGrid> planes_;  // never empty, all of one size
};

}  // namespace tessera
