#include "core/files/piece_source.h"

#include <algorithm>
#include <limits>

#include "core/cells/rasterize.h"

namespace tessera {

namespace {

constexpr std::int64_t kBandWords = std::int64_t{1} << 18;

// Runs that come in reading order, as those of Bands do, are packed at once; only the others are
// kept to be sorted.
class Collector {
 public:
  void add(std::int64_t x, std::int64_t y, std::int64_t length) {
    if (y > y_ || (y == y_ && x >= end_)) {
      sorted_.append(x, y, length);
      y_ = y;
      end_ = x + length;
    } else {
      others_.add(x, y, length);
    }
  }
  CellRuns take() {
    const CellRuns others = others_.take();
    return others.empty() ? std::move(sorted_) : unite(sorted_, others);
  }

 private:
  CellRuns sorted_;
  CellCollector others_;
  std::int64_t y_ = std::numeric_limits<std::int64_t>::min();  // of the last run in sorted_
  std::int64_t end_ = 0;                                       // one past its last cell
};

}  // namespace

CellRuns runs_of(PieceSource& pieces, std::vector<CellRuns>* planes) {
  const Rect extent = pieces.extent();
  Collector all;
  std::vector<Collector> each;  // plane, where there are several
  while (const std::optional<Piece> piece = pieces.next()) {
    const Cell at{piece->at.x - extent.x, piece->at.y - extent.y};
    const CellGrid& cells = piece->cells;
    const auto collect = [&at](const BitGrid& grid, Collector& to) {
      for_each_run(grid, at, [&to](std::int64_t x, std::int64_t y, std::int64_t length) {
        to.add(x, y, length);
      });
    };
    if (cells.planes() == 1) {
      collect(cells.plane(0), all);
      continue;
    }
    collect(cells.live(), all);
    if (!planes) continue;
    each.resize(static_cast<std::size_t>(cells.planes()));
    for (int p = 0; p < cells.planes(); p++)
      collect(cells.plane(p), each[static_cast<std::size_t>(p)]);
  }
  if (planes) {
    planes->clear();
    for (Collector& plane : each) planes->push_back(plane.take());
    while (!planes->empty() && planes->back().empty()) planes->pop_back();
    if (planes->size() == 1) planes->clear();
  }
  return all.take();
}

Bands::Bands(const Rect& rect, std::int64_t together)
    : rect_(rect),
      rows_(std::max<std::int64_t>(1, kBandWords / ceil_div(rect.width, 64))),
      columns_(std::min(rect.width, kBandWords * 64)),
      across_(ceil_div(rect.width, columns_)) {
  if (rows_ >= together) rows_ -= rows_ % together;
}

Rect Bands::at(std::int64_t i) const {
  const std::int64_t x = i % across_ * columns_, y = i / across_ * rows_;
  return {rect_.x + x, rect_.y + y, std::min(columns_, rect_.width - x),
          std::min(rows_, rect_.height - y)};
}

std::optional<Piece> BandSource::next() {
  if (next_ == bands_.count()) return std::nullopt;
  const Rect band = bands_.at(next_++);
  return Piece{{band.x, band.y}, read_(band)};
}

}  // namespace tessera
