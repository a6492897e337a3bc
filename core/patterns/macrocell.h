#pragma once

#include "core/patterns/macrocell_lines.h"
#include "core/patterns/pattern.h"
#include "core/patterns/quadtree.h"
#include "core/patterns/text_sink.h"
#include "core/patterns/text_source.h"

namespace tessera {

/// A macrocell file (Golly's help, "File formats": "[M2]"): the cells as a tree of squares, each
/// line a leaf of 8x8 cells of two states or "level nw ne sw se", where parts are numbered by line
/// from 1 and 0 is empty; those of level 1 are the states of 2x2 cells, of two or more. The last
/// one is the root; cell (0, 1) is the top-left one of its
/// south-eastern quarter. '#' lines are read as in RLE, but "#R B3/S23" gives the rule and "#G n"
/// the generation. The box is that of the live cells, and the position its corner.
class Macrocell {
 public:
  /// Reads the squares. Throws ParseError: also for live cells further than 2^62 cells from the
  /// origin or apart, and for more than 2^63-1 of them.
  explicit Macrocell(TextSource& text);

  const PatternSummary& summary() const { return summary_; }
  /// How much memory the cells of the pattern take at most, in bytes; 2^63-1 stands for more.
  std::int64_t memory() const;
  /// The pattern with its cells. Throws ParseError when they could take more than 8 GiB.
  Pattern pattern() const;

 private:
  void place_cells(TextSource& text, const Place& place);
  void trim(TextSource& text, const Place& place);

  std::string root_place_;  // for messages
  PatternSummary summary_;
  Quadtree tree_;
  StateSquare root_;
  Quadtree::Box box_;  // of the live cells in the root
};

/// Macrocell's pattern. Throws ParseError.
Pattern read_macrocell(TextSource& text);

/// Writes a tidied pattern, each different square once, and down to level 1 where it has several
/// states or a rule that Golly steps with several: one of more than two, or of a rule file. The
/// declared box is lost where it is larger than that of the cells, and so is the position of an
/// empty pattern. A pattern without a position is written, and read back, at (0, 0). Takes memory
/// for the squares. Throws InputError when there are more than 2^32.
void write_macrocell(const Pattern& pattern, TextSink& sink);

}  // namespace tessera
