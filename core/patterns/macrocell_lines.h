#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/base/long_list.h"
#include "core/patterns/pattern.h"
#include "core/patterns/quadtree.h"
#include "core/patterns/text_sink.h"
#include "core/patterns/text_source.h"

namespace tessera {

/// A square of cells of several states.
struct StateSquare {
  Quadtree::Node live = Quadtree::kEmpty;  ///< the cells whose state is not 0
  /// For each bit of a state the cells that have it; none where no cell has another state than 1.
  std::vector<Quadtree::Node> planes;
};

/// The lines of a macrocell file.
class MacrocellLines {
 public:
  /// Squares are added to `tree`, and what '#' lines say to `notes`.
  MacrocellLines(TextSource& text, Quadtree& tree, Pattern& notes)
      : text_(&text), tree_(&tree), notes_(&notes) {
    live_.push_back(Quadtree::kEmpty);
  }

  /// Takes all lines and returns the root; the empty square when there are only '#' lines, as Golly
  /// writes an empty universe. Throws ParseError.
  StateSquare take_root();
  /// Where the root's line begins.
  const Place& root_place() const { return last_place_; }

 private:
  void take_version();
  void take_hash_line();
  void take_leaf();
  void take_square();
  void take_states();
  void check_states() const;
  void need_planes(int state);
  int small_level(std::size_t square) const;
  int level_of(std::size_t square) const;
  Quadtree::Node join(const std::array<std::size_t, 4>& parts, std::int64_t level,
                      const LongList<Quadtree::Node>& of);
  std::int64_t take_number(std::int64_t most, const char* what);
  std::size_t take_part(std::int64_t level);
  void take_line_end(const char* expected);
  void add(std::int64_t level, const Place& place);

  TextSource* text_;
  Quadtree* tree_;
  Pattern* notes_;
  // Squares by number, 0 being the empty one: the live cells, and bit planes once a cell has
  // another state than 1. Squares of 2 or 4 cells per side, which small_ has the levels of, are no
  // nodes but bits, row by row; it ends with the last of those.
  LongList<Quadtree::Node> live_;
  std::vector<LongList<Quadtree::Node>> planes_;
  std::deque<std::uint8_t> small_;
  std::uint64_t last_leaf_ = 0;  // as bits, and its node; 0: none
  Quadtree::Node last_leaf_node_ = Quadtree::kEmpty;
  int highest_ = 0;  // state
  Place highest_place_;
  std::int64_t last_level_ = 0;
  Place last_place_;
  std::int64_t largest_level_ = 0;  // of those before the last
  std::int64_t largest_line_ = 0;
};

/// Writes the lines before the squares.
void write_macrocell_header(const Pattern& pattern, TextSink& sink);
/// Writes a line for each square.
void write_macrocell_squares(const Quadtree& tree, TextSink& sink);
/// Writes a line for each different square of cells of several states, down to those of 2 cells per
/// side: `planes`, at most 8 of one level or empty, have the bits of the states. Throws InputError
/// when there are more than 2^32.
void write_macrocell_states(const Quadtree& tree, const std::vector<Quadtree::Node>& planes,
                            TextSink& sink);

}  // namespace tessera
