#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

/// Largest range of a rule.
inline constexpr int kMostRange = 500;

/// Which cells (dx, dy) of the square around a cell, at most `radius` away along either axis, are
/// its neighbours. The cell itself never is; RangeRule::middle says whether it counts with them.
enum class RangeShape : std::uint8_t {
  moore,         ///< NM: all
  von_neumann,   ///< NN: |dx| + |dy| <= radius
  circular,      ///< NC: dx^2 + dy^2 <= radius^2 + radius
  euclidean,     ///< N2: dx^2 + dy^2 <= radius^2
  cross,         ///< N+: dx = 0 or dy = 0
  saltire,       ///< NX: |dx| = |dy|
  star,          ///< N*: the two above
  hash,          ///< N#: |dx| = 1 or |dy| = 1
  checkerboard,  ///< NB: dx + dy is odd
  aligned,       ///< ND: dx + dy is even
  hexagonal,     ///< NH: |dx - dy| <= radius
  custom,        ///< N@: a bit for each cell
};

/// Numbers of cells, as the longest runs of them in ascending order.
struct CountSet {
  struct Run {
    int first, last;
    bool operator==(const Run&) const = default;
  };
  std::vector<Run> runs;

  /// The numbers of all `runs`, which may come in any order and overlap.
  static CountSet of(std::vector<Run> runs);
  bool has(int count) const;
  bool operator==(const CountSet&) const = default;
};

/// A rule that counts the cells of state 1 in a neighbourhood of any range: Larger than Life
/// (Kellie Evans), and what LifeViewer calls higher-range outer-totalistic (HROT). A cell of state
/// 0 is born and one of state 1 survives where the count is in the set; the rest is as in Rule.
struct RangeRule {
  int radius = 1;  ///< 1 to kMostRange
  RangeShape shape = RangeShape::moore;
  bool middle = false;  ///< whether the cell counts, too
  /// Of a custom shape: a bit for each cell of the square but the middle one, in reading order, the
  /// lowest bit of each byte first; the rest is 0. Empty in others.
  std::vector<std::uint8_t> cells;
  CountSet survival, birth;

  /// Whether the cell so far right and so far down is a neighbour, at most `radius` either way.
  bool neighbour(int dx, int dy) const;
  /// Cells that may count: neighbours, and the cell itself where it does.
  int most() const;
  bool operator==(const RangeRule&) const = default;
};

/// A run of cells of a row that count: (first, dy) to (last, dy) from the cell.
struct RangeSpan {
  int dy, first, last;
};

/// All that count, row by row, the longest runs from the left; the cell itself where it does.
std::vector<RangeSpan> spans_of(const RangeRule& rule);

/// The rule, which may be referred to as long as the program runs. Equal rules are kept once, so
/// that they are the same object; kept ones are never given back.
const RangeRule* kept_range_rule(const RangeRule& rule);

/// Golly's canonical spelling where it has one, "R5,C0,M1,S34..58,B34..45,NM", and else
/// LifeViewer's: "R2,C2,S4-6,B5-6,N#", with M1 behind the states where the cell counts.
std::string range_text(const RangeRule& rule, int states);

}  // namespace tessera
