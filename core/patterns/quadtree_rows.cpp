#include "core/patterns/quadtree_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using Node = Quadtree::Node;

constexpr std::uint64_t kForever = std::numeric_limits<std::uint64_t>::max();

// Walks down the tree with all squares that lie side by side in a band of rows, so that the rows
// come in order.
class RowWalk {
 public:
  RowWalk(const Quadtree& tree, std::uint64_t left, std::uint64_t top)
      : tree_(&tree), left_(left), top_(top) {}

  CellRuns take(Node square) {
    if (square == Quadtree::kEmpty) return {};
    const int level = tree_->level(square);
    bands_[static_cast<std::size_t>(level)] = {{square, 0, level}};
    descend(level, 0);
    return std::move(runs_);
  }

 private:
  // A striped square stands for as many like it, side by side, as are 2^width cells wide.
  struct Item {
    Node node;
    std::uint64_t x;
    int width;
  };

  void descend(int level, std::uint64_t y) {
    const std::vector<Item>& band = bands_[static_cast<std::size_t>(level)];
    if (level == Quadtree::kLeafLevel) return append_rows(band, y);
    std::vector<Item>& half = bands_[static_cast<std::size_t>(level - 1)];
    for (const unsigned lower : {0u, 1u}) {
      half.clear();
      for (const Item& item : band) add_parts(item, 2 * lower, half);
      if (!half.empty()) descend(level - 1, y + (std::uint64_t{lower} << (level - 1)));
    }
  }

  void add_parts(const Item& item, unsigned first, std::vector<Item>& half) const {
    const Quadtree::Parts& parts = tree_->parts(item.node);
    if (tree_->striped(item.node)) {
      if (parts[first] != Quadtree::kEmpty) half.push_back({parts[first], item.x, item.width});
      return;
    }
    const int width = item.width - 1;
    for (const unsigned right : {0u, 1u}) {
      const Node part = parts[first + right];
      if (part != Quadtree::kEmpty)
        half.push_back({part, item.x + (std::uint64_t{right} << width), width});
    }
  }

  void append_rows(const std::vector<Item>& band, std::uint64_t y) {
    for (unsigned row = 0; row < 8; row++) {
      for (const Item& item : band) {
        auto cells = static_cast<unsigned>(tree_->cells(item.node) >> 8 * row & 0xff);
        if (cells == 0xff) {
          append(item.x, y + row, std::int64_t{1} << item.width);
          continue;
        }
        while (cells != 0) {
          const int start = std::countr_zero(cells);
          const int length = std::countr_one(cells >> start);
          append(item.x + static_cast<unsigned>(start), y + row, length);
          cells &= ~0u << (start + length);
        }
      }
    }
  }

  void append(std::uint64_t x, std::uint64_t y, std::int64_t length) {
    runs_.append(static_cast<std::int64_t>(x - left_), static_cast<std::int64_t>(y - top_), length);
  }

  const Quadtree* tree_;
  std::uint64_t left_;
  std::uint64_t top_;
  std::array<std::vector<Item>, 65> bands_;  // by level: what lies side by side
  CellRuns runs_;
};

// `count` equal squares side by side, the first one the square number `at` of its band.
struct Segment {
  std::uint64_t at;
  std::uint64_t count;
  Node node;
};

// All squares of a level that lie in a band of rows, from left to right, but the empty ones. Bands
// of a level count from the top.
struct Band {
  std::uint64_t number = 0;
  std::vector<Segment> segments;
};

// A square or row of a leaf, and how many squares from there on are like it.
template <class Value>
struct Stretch {
  Value value;
  std::uint64_t count;
};

// Reads the runs of one row a column of leaves, which is 8 cells wide, at a time.
class RowColumns {
 public:
  void clear() {
    runs_.clear();
    at_ = 0;
  }
  void add(std::uint64_t x, std::uint64_t length) { runs_.push_back({x, x + length}); }

  // The next column from this one on that holds live cells.
  std::uint64_t next(std::uint64_t column) {
    while (at_ < runs_.size() && runs_[at_].end <= 8 * column) at_++;
    return at_ == runs_.size() ? kForever : std::max(column, runs_[at_].x / 8);
  }

  // The 8 cells of a column; columns are asked for from left to right.
  Stretch<std::uint64_t> cells(std::uint64_t column) {
    const std::uint64_t first = next(column);
    if (first != column) return {0, first - column};
    const std::uint64_t x = 8 * column;
    if (runs_[at_].x <= x && runs_[at_].end >= x + 8) return {0xff, (runs_[at_].end - x) / 8};
    std::uint64_t cells = 0;
    for (std::size_t i = at_; i < runs_.size() && runs_[i].x < x + 8; i++) {
      const std::uint64_t from = std::max(runs_[i].x, x) - x;
      const std::uint64_t to = std::min(runs_[i].end, x + 8) - x;
      cells |= (std::uint64_t{1} << to) - (std::uint64_t{1} << from);
    }
    return {cells, 1};
  }

 private:
  struct Run {
    std::uint64_t x;
    std::uint64_t end;
  };
  std::vector<Run> runs_;
  std::size_t at_ = 0;
};

// Reads the squares of a band one after the other.
class BandSquares {
 public:
  explicit BandSquares(const std::vector<Segment>& segments)
      : at_(segments.data()), end_(at_ + segments.size()) {}

  // The next square from this one on that is not empty.
  std::uint64_t next(std::uint64_t square) {
    while (at_ != end_ && at_->at + at_->count <= square) at_++;
    return at_ == end_ ? kForever : std::max(square, at_->at);
  }

  // A square; they are asked for from left to right.
  Stretch<Node> square(std::uint64_t square) {
    const std::uint64_t first = next(square);
    if (first != square) return {Quadtree::kEmpty, first - square};
    return {at_->node, at_->at + at_->count - square};
  }

 private:
  const Segment* at_;
  const Segment* end_;
};

// Joins rows to leaves and bands of squares to bands of larger ones, from the top down.
class TreeBuilder {
 public:
  TreeBuilder(Quadtree& tree, int level) : tree_(&tree), level_(level) {}

  Node build(const CellRuns& cells, std::uint64_t left, std::uint64_t top) {
    CellRuns::Reader reader = cells.reader();
    std::optional<std::uint64_t> number;
    while (const std::optional<CellRun> run = reader.next()) {
      const std::uint64_t y = static_cast<std::uint64_t>(run->y) - top;
      if (number && *number != y / 8) add_leaves(*number);
      number = y / 8;
      rows_[y % 8].add(static_cast<std::uint64_t>(run->x) - left,
                       static_cast<std::uint64_t>(run->length));
    }
    if (number) add_leaves(*number);
    for (int level = Quadtree::kLeafLevel; level < level_; level++) {
      std::optional<Band>& waiting = waiting_[static_cast<std::size_t>(level)];
      if (waiting) add(level + 1, joined_alone(*waiting));
    }
    return root_;
  }

 private:
  void add_leaves(std::uint64_t number) {
    Band band{number, {}};
    const auto next = [this](std::uint64_t column) {
      std::uint64_t first = kForever;
      for (RowColumns& row : rows_) first = std::min(first, row.next(column));
      return first;
    };
    for (std::uint64_t column = next(0); column != kForever;) {
      std::uint64_t cells = 0, count = kForever;
      for (unsigned y = 0; y < 8; y++) {
        const Stretch<std::uint64_t> row = rows_[y].cells(column);
        cells |= row.value << 8 * y;
        count = std::min(count, row.count);
      }
      band.segments.push_back({column, count, tree_->leaf(cells)});
      column = next(column + count);
    }
    for (RowColumns& row : rows_) row.clear();
    add(Quadtree::kLeafLevel, std::move(band));
  }

  // Bands of each level come from the top down; one waits for the band that it may be joined with.
  void add(int level, Band band) {
    for (; level < level_; level++) {
      std::optional<Band>& waiting = waiting_[static_cast<std::size_t>(level)];
      if (!waiting) {
        waiting = std::move(band);
        return;
      }
      if (waiting->number / 2 == band.number / 2) {
        band = {band.number / 2, joined(waiting->segments, band.segments)};
        waiting.reset();
      } else {
        band = joined_alone(*std::exchange(waiting, std::move(band)));
      }
    }
    root_ = band.segments.front().node;
  }

  Band joined_alone(const Band& band) {
    const std::vector<Segment> nothing;
    return {band.number / 2,
            band.number % 2 == 0 ? joined(band.segments, nothing) : joined(nothing, band.segments)};
  }

  std::vector<Segment> joined(const std::vector<Segment>& upper,
                              const std::vector<Segment>& lower) {
    std::vector<Segment> result;
    BandSquares north(upper), south(lower);
    const auto next = [&](std::uint64_t square) {
      return std::min(north.next(square), south.next(square));
    };
    for (std::uint64_t first = next(0); first != kForever;) {
      const std::uint64_t at = first / 2;
      // Where `first` is the eastern one of two, the western one is empty and has been passed.
      const auto two = [&](BandSquares& band) {
        const Stretch<Node> west =
            first == 2 * at ? band.square(first) : Stretch<Node>{Quadtree::kEmpty, 1};
        const Node east = west.count > 1 ? west.value : band.square(2 * at + 1).value;
        return Two{west.value, east, std::max<std::uint64_t>(1, west.count / 2)};
      };
      const Two above = two(north), below = two(south);
      const std::uint64_t count = std::min(above.count, below.count);
      result.push_back({at, count, tree_->join({above.west, above.east, below.west, below.east})});
      first = next(2 * (at + count));
    }
    return result;
  }

  // Neighbours that are joined with two others, and for how many larger squares they are the same.
  struct Two {
    Node west;
    Node east;
    std::uint64_t count;
  };

  Quadtree* tree_;
  int level_;
  Node root_ = Quadtree::kEmpty;
  std::array<RowColumns, 8> rows_;
  std::array<std::optional<Band>, 64> waiting_;  // by level
};

}  // namespace

CellRuns runs_of(const Quadtree& tree, Quadtree::Node square, std::uint64_t left,
                 std::uint64_t top) {
  return RowWalk(tree, left, top).take(square);
}

Quadtree::Node square_of(Quadtree& tree, const CellRuns& cells, std::int64_t left, std::int64_t top,
                         int level) {
  return TreeBuilder(tree, level)
      .build(cells, static_cast<std::uint64_t>(left), static_cast<std::uint64_t>(top));
}

}  // namespace tessera
