#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/geometry.h"
#include "core/tiles/glider.h"

namespace tessera {

/// Least and greatest x, y, x - y and x + y of cells: an octagon around them.
struct Octagon {
  std::int64_t least[4], most[4];
  Octagon();
  /// Adds a square of cells.
  void add(const Cell& at, std::int64_t side);
  bool empty() const { return least[0] > most[0]; }
  /// Cells that lie between this and `other`, along a direction in which something that moves by
  /// (dx, dy) leaves this behind; -1 when it leaves it behind in none.
  std::int64_t behind(const Octagon& other, int dx, int dy) const;
};

/// Gliders that are off the plane, and when one may leave it or must come back.
///
/// Nothing moves faster than a cell per generation. So for W generations a glider cannot meet what
/// is further away than 2 W cells (and some for its own size), nor what lies more than W cells
/// behind it, along any of the eight directions. Lone gliders on the plane do not count as such:
/// where they go is known. Whoever keeps gliders here asks again at least every `horizon`
/// generations.
class Departures {
 public:
  explicit Departures(const GliderKind& kind) : kind_(&kind) {}

  /// A square of cells in which something lives that is not a lone glider.
  struct Content {
    Cell at;
    std::int64_t side;
  };
  struct Verdict {
    std::vector<Glider> returning;     ///< no longer away; to be put back onto the plane at once
    std::vector<std::size_t> leaving;  ///< indexes of candidates, now away
    bool free = false;                 ///< nothing that stands still can ever meet those away
  };

  /// At `generation`: what lives on the plane besides the lone gliders among it, `candidates`.
  /// Lone: nothing else within 8 cells. In a pause (next_look) none leaves.
  Verdict review(std::int64_t generation, std::int64_t horizon,
                 const std::vector<Content>& contents, const std::vector<Glider>& candidates);

  /// All of them as they are at a generation.
  std::vector<Glider> at(std::int64_t generation) const;
  /// Until this generation those away need no look, whatever the plane becomes, if no glider
  /// leaves.
  std::int64_t safe_until() const { return safe_until_; }
  std::int64_t away() const { return static_cast<std::int64_t>(away_.size()); }
  /// The generation by which to look again, after a look at `generation` at so many candidates,
  /// of which `gained` more left than others returned. Where looks gain little there is a pause,
  /// the longer the more often they do, unless those away need a look.
  std::int64_t next_look(std::int64_t generation, std::int64_t horizon, std::size_t candidates,
                         std::int64_t gained);
  void clear() {
    away_.clear();
    safe_until_ = 0;
    pause_ = 0;
    pause_until_ = 0;
  }

 private:
  const GliderKind* kind_;
  std::vector<Glider> away_;
  std::int64_t safe_until_ = 0;
  // Gliders that keep coming back cost more than they save: those must be further away to leave.
  std::int64_t backoff_ = 1, left_ = 0, returned_ = 0;
  std::int64_t pause_ = 0;        // horizons that are left out
  std::int64_t pause_until_ = 0;  // generation
};

}  // namespace tessera
