#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "core/patterns/pattern.h"
#include "core/patterns/quadtree.h"
#include "core/patterns/text_sink.h"
#include "core/patterns/text_source.h"

namespace tessera {

/// The lines of a macrocell file.
class MacrocellLines {
 public:
  /// Squares are added to `tree`, and what '#' lines say to `notes`.
  MacrocellLines(TextSource& text, Quadtree& tree, Pattern& notes)
      : text_(&text), tree_(&tree), notes_(&notes) {}

  /// Takes all lines and returns the root; the empty square when there are only '#' lines, as Golly
  /// writes an empty universe. Throws ParseError.
  Quadtree::Node take_root();
  /// Where the root's line begins.
  const Place& root_place() const { return last_place_; }

 private:
  void take_version();
  void take_hash_line();
  void take_leaf();
  void take_square();
  std::int64_t take_number(std::int64_t most, const char* what);
  Quadtree::Node take_part(std::int64_t level);
  void take_line_end(const char* expected);
  void add(Quadtree::Node node, std::int64_t level, const Place& place);

  TextSource* text_;
  Quadtree* tree_;
  Pattern* notes_;
  std::deque<Quadtree::Node> numbered_;  // squares by number, less 1
  std::int64_t last_level_ = 0;
  Place last_place_;
  std::int64_t largest_level_ = 0;  // of those before the last
  std::int64_t largest_line_ = 0;
};

/// Writes the lines before the squares.
void write_macrocell_header(const Pattern& pattern, TextSink& sink);
/// Writes a line for each square.
void write_macrocell_squares(const Quadtree& tree, TextSink& sink);

}  // namespace tessera
