#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/geometry.h"
#include "core/rules/rule.h"

namespace tessera {

/// A glider somewhere on its way: at `generation` its 3 x 3 box stands at `at` and holds `shape`,
/// bit 3 y + x of which is the cell (x, y).
struct Glider {
  Cell at;
  std::int64_t generation = 0;
  int shape = 0;
  int dx = 0, dy = 0;  ///< cells per four generations, -1 or 1 each
};

/// Calls `visit` with the place of each live cell, in reading order.
template <class Visit>
void for_each_cell(const Glider& glider, const Visit& visit) {
  for (int i = 0; i < 9; i++) {
    if (glider.shape >> i & 1) visit(Cell{glider.at.x + i % 3, glider.at.y + i / 3});
  }
}

/// Live cells of a glider, in every phase.
inline constexpr int kGliderCells = 5;

/// The gliders of Life under a rule: which shapes they have and how they go on.
class GliderKind {
 public:
  /// Steps the four gliders under the rule.
  explicit GliderKind(const Rule& rule);
  /// Whether Life's glider is a spaceship of this rule, too; nothing else may be asked when not.
  bool exists() const { return exists_; }
  /// The glider that a 3 x 3 box with exactly this shape and nothing around is, at (0, 0) and
  /// generation 0; nothing for another shape.
  std::optional<Glider> of(int shape) const;
  /// The lone gliders in a window of 64 x 64 cells, bit x of word y being the cell (x, y), whose
  /// boxes begin in its rows and columns from `first` on, `count` of them: nothing else lives
  /// within eight cells of the box, as far as the window shows.
  std::vector<Glider> lone(const std::array<std::uint64_t, 64>& window, int first, int count) const;
  /// The same glider at a later or the same generation.
  Glider later(const Glider& glider, std::int64_t generation) const;

 private:
  struct Phase {
    int dx = 0, dy = 0;          // cells per four generations; 0: not a glider
    int next = 0;                // its shape one generation later
    int move_x = 0, move_y = 0;  // of its box in between
  };
  bool exists_ = false;
  std::array<Phase, 512> phases_{};
};

}  // namespace tessera
