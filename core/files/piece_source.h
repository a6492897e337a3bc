#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/geometry.h"
#include "core/cells/cell_grid.h"
#include "core/cells/cell_runs.h"

namespace tessera {

/// Cells and where they lie, in absolute coordinates.
struct Piece {
  Cell at;  ///< of the top-left cell
  CellGrid cells;

  Rect rect() const { return {at.x, at.y, cells.width(), cells.height()}; }
};

/// Cells of a universe as placed pieces that do not overlap, one after the other, so that nobody
/// holds all of them twice. Cells that no piece covers are in state 0.
class PieceSource {
 public:
  virtual ~PieceSource() = default;
  /// A rectangle that holds all pieces, in absolute coordinates; not empty.
  virtual Rect extent() const = 0;
  /// The next piece, or nothing after the last one. Throws what bringing the cells throws.
  virtual std::optional<Piece> next() = 0;
};

/// The cells of all pieces that are not in state 0, relative to the top-left cell of the extent,
/// whose sides are at most kMaxCoordinate. What no piece covers costs nothing. `planes`, where it
/// is given, is set to what Pattern::planes is.
CellRuns runs_of(PieceSource& pieces, std::vector<CellRuns>* planes = nullptr);

/// How a rectangle is cut into bands of at most 2^18 words of a plane: as many whole rows as fit,
/// or, where a row is longer, parts of so many words of one row; in reading order. Where a multiple
/// of `together` rows fits, bands have such a number of rows.
class Bands {
 public:
  explicit Bands(const Rect& rect, std::int64_t together = 1);
  std::int64_t count() const { return ceil_div(rect_.height, rows_) * across_; }
  /// The rectangle of band i, 0 <= i < count() (not checked).
  Rect at(std::int64_t i) const;

 private:
  Rect rect_;
  std::int64_t rows_;     // of a band
  std::int64_t columns_;  // of a band
  std::int64_t across_;   // bands side by side
};

/// The bands of a rectangle, whose cells are asked for one by one.
class BandSource : public PieceSource {
 public:
  /// Gives the cells of a rectangle in absolute coordinates.
  using Read = std::function<CellGrid(const Rect&)>;

  BandSource(const Rect& extent, Read read, std::int64_t together = 1)
      : extent_(extent), bands_(extent, together), read_(std::move(read)) {}
  Rect extent() const override { return extent_; }
  std::optional<Piece> next() override;

 private:
  Rect extent_;
  Bands bands_;
  Read read_;
  std::int64_t next_ = 0;
};

/// Pieces that are held in memory, which must outlive this.
class PieceList : public PieceSource {
 public:
  PieceList(const Rect& extent, const std::vector<Piece>& pieces)
      : extent_(extent), pieces_(&pieces) {}
  Rect extent() const override { return extent_; }
  std::optional<Piece> next() override {
    if (next_ == pieces_->size()) return std::nullopt;
    return (*pieces_)[next_++];
  }

 private:
  Rect extent_;
  const std::vector<Piece>* pieces_;
  std::size_t next_ = 0;
};

}  // namespace tessera
