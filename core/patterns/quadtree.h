#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

/// Squares of cells as a tree: a square of 2^level cells per side is made of four of half its side,
/// down to leaves of 8x8 cells. Equal squares are one node, so that a plane that repeats itself
/// takes little. After Gosper, "Exploiting regularities in large cellular spaces" (1984).
class Quadtree {
 public:
  /// Nodes count from 1 in the order in which they are made; parts come before what they make up.
  using Node = std::uint32_t;
  /// A square of any size without live cells.
  static constexpr Node kEmpty = 0;
  static constexpr int kLeafLevel = 3;
  /// North-west, north-east, south-west, south-east.
  using Parts = std::array<Node, 4>;

  /// A box within a square, inclusive; cells count from the square's top-left one.
  struct Box {
    std::uint64_t xmin = 0;
    std::uint64_t ymin = 0;
    std::uint64_t xmax = 0;
    std::uint64_t ymax = 0;
    bool operator==(const Box&) const = default;
  };

  Quadtree();

  /// The square of 8x8 cells whose cell (x, y) is bit 8y + x. Throws InputError when 2^32 nodes are
  /// not enough.
  Node leaf(std::uint64_t cells);
  /// The square made of four that have the same level as far as they are not empty. Throws
  /// InputError when 2^32 nodes are not enough.
  Node join(const Parts& parts);

  /// How many nodes there are, the empty one not among them.
  std::size_t size() const { return squares_.size() - 1; }
  /// The level of a square that is not empty.
  int level(Node node) const { return squares_[node].level; }
  /// The parts of a square of level 4 or more, or of an empty one.
  const Parts& parts(Node node) const { return squares_[node].parts; }
  /// The cells of a leaf.
  std::uint64_t cells(Node leaf) const {
    return squares_[leaf].parts[0] | std::uint64_t{squares_[leaf].parts[1]} << 32;
  }
  /// Whether each row is all alive or all dead.
  bool striped(Node node) const { return squares_[node].striped; }

  /// Live cells; 2^64-1 stands for more.
  std::uint64_t population(Node node) const;
  /// The runs of live cells that the rows of the square's parts have: two that touch where parts
  /// meet count as two, unless the square is striped. 2^64-1 stands for more.
  std::uint64_t runs(Node node) const;
  /// The smallest box around the live cells of a square that has some, of level 64 or less.
  Box box(Node node) const;

 private:
  struct Square {
    Parts parts{};  // of a leaf the cells, the upper rows first
    int level = 0;
    bool striped = true;
  };

  Node intern(const Square& square);
  void grow_table();
  template <class Value, class OfLeaf, class OfJoin>
  Value fold(Node node, const Value& empty, OfLeaf of_leaf, OfJoin of_join) const;

  std::vector<Square> squares_;
  std::vector<Node> table_;  // open addressing; kEmpty where nothing is; a power of two in size
};

}  // namespace tessera
