#include "core/patterns/quadtree.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/base/error.h"

namespace tessera {
namespace {

constexpr std::uint64_t kFirstColumn = 0x0101010101010101;

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  return a + b < a ? std::numeric_limits<std::uint64_t>::max() : a + b;
}

std::uint64_t hash_of(const Quadtree::Parts& parts, int level) {
  const auto mixed = [](std::uint64_t z) {
    z *= 0x9E3779B97F4A7C15;
    return z ^ z >> 32;
  };
  const std::uint64_t north = parts[0] | std::uint64_t{parts[1]} << 32;
  const std::uint64_t south = parts[2] | std::uint64_t{parts[3]} << 32;
  return mixed(mixed(north ^ static_cast<std::uint64_t>(level)) ^ south);
}

// Several times as fast as the comparison of arrays, which calls memcmp.
bool same(const Quadtree::Parts& a, const Quadtree::Parts& b) {
  return ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3])) == 0;
}

// The first cells of the runs in each row.
std::uint64_t run_starts(std::uint64_t cells) { return cells & ~(cells << 1 & ~kFirstColumn); }

// The columns of a leaf that hold live cells, as the bits of a row.
std::uint64_t columns_of(std::uint64_t cells) {
  cells |= cells >> 32;
  cells |= cells >> 16;
  cells |= cells >> 8;
  return cells & 0xff;
}

Quadtree::Box box_of_leaf(std::uint64_t cells) {
  const auto index = [](int bit) { return static_cast<std::uint64_t>(bit); };
  const std::uint64_t columns = columns_of(cells);
  return {index(std::countr_zero(columns)), index(std::countr_zero(cells) / 8),
          index(63 - std::countl_zero(columns)), index((63 - std::countl_zero(cells)) / 8)};
}

}  // namespace

Quadtree::Quadtree() : squares_(1), table_(1024, kEmpty) {}

Quadtree::Node Quadtree::leaf(std::uint64_t cells) {
  if (cells == 0) return kEmpty;
  Square square;
  square.parts = {static_cast<Node>(cells), static_cast<Node>(cells >> 32), 0, 0};
  square.level = kLeafLevel;
  square.striped = (cells & kFirstColumn) * 0xff == cells;
  return intern(square);
}

Quadtree::Node Quadtree::join(const Parts& parts) {
  const auto some = std::find_if(parts.begin(), parts.end(), [](Node p) { return p != kEmpty; });
  if (some == parts.end()) return kEmpty;
  Square square;
  square.parts = parts;
  square.level = level(*some) + 1;
  square.striped =
      parts[0] == parts[1] && parts[2] == parts[3] && striped(parts[0]) && striped(parts[2]);
  return intern(square);
}

Quadtree::Node Quadtree::intern(const Square& square) {
  const std::size_t mask = table_.size() - 1;
  std::size_t at = hash_of(square.parts, square.level) & mask;
  for (; table_[at] != kEmpty; at = (at + 1) & mask) {
    const Square& known = squares_[table_[at]];
    if (same(known.parts, square.parts) && known.level == square.level) return table_[at];
  }
  if (squares_.size() > std::numeric_limits<Node>::max()) {
    throw InputError("the pattern has more than 2^32 different squares; .rle is accepted");
  }
  table_[at] = static_cast<Node>(squares_.size());
  squares_.push_back(square);
  const Node made = table_[at];
  if (squares_.size() > table_.size() / 2) grow_table();
  return made;
}

void Quadtree::grow_table() {
  table_.assign(2 * table_.size(), kEmpty);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t i = 1; i < squares_.size(); i++) {
    std::size_t at = hash_of(squares_[i].parts, squares_[i].level) & mask;
    while (table_[at] != kEmpty) at = (at + 1) & mask;
    table_[at] = static_cast<Node>(i);
  }
}

// Finds a value of a square from those of its parts, each node's once.
template <class Value, class OfLeaf, class OfJoin>
Value Quadtree::fold(Node node, const Value& empty, OfLeaf of_leaf, OfJoin of_join) const {
  std::vector<Value> values(std::size_t{node} + 1, empty);
  for (Node i = 1; i <= node && i != kEmpty; i++) {
    if (level(i) == kLeafLevel) {
      values[i] = of_leaf(cells(i));
    } else {
      const Parts& p = parts(i);
      values[i] =
          of_join(i, std::array<Value, 4>{values[p[0]], values[p[1]], values[p[2]], values[p[3]]});
    }
  }
  return values[node];
}

std::uint64_t Quadtree::population(Node node) const {
  return fold(
      node, std::uint64_t{0},
      [](std::uint64_t cells) { return static_cast<std::uint64_t>(std::popcount(cells)); },
      [](Node, const std::array<std::uint64_t, 4>& of) {
        return saturating_sum(saturating_sum(of[0], of[1]), saturating_sum(of[2], of[3]));
      });
}

std::uint64_t Quadtree::runs(Node node) const {
  return fold(
      node, std::uint64_t{0},
      [](std::uint64_t cells) {
        return static_cast<std::uint64_t>(std::popcount(run_starts(cells)));
      },
      [this](Node i, const std::array<std::uint64_t, 4>& of) {
        if (striped(i)) return saturating_sum(of[0], of[2]);
        return saturating_sum(saturating_sum(of[0], of[1]), saturating_sum(of[2], of[3]));
      });
}

Quadtree::Box Quadtree::box(Node node) const {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const Box none{kMost, kMost, 0, 0};
  return fold(node, none, box_of_leaf, [&](Node i, const std::array<Box, 4>& of) {
    Box all = none;
    if (level(i) > 64) return all;  // no part of the node
    const std::uint64_t half = std::uint64_t{1} << (level(i) - 1);
    for (unsigned j = 0; j < 4; j++) {
      if (parts(i)[j] == kEmpty) continue;
      const std::uint64_t right = half * (j & 1), down = half * (j >> 1);
      all = {std::min(all.xmin, of[j].xmin + right), std::min(all.ymin, of[j].ymin + down),
             std::max(all.xmax, of[j].xmax + right), std::max(all.ymax, of[j].ymax + down)};
    }
    return all;
  });
}

}  // namespace tessera
