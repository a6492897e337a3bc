#pragma once

#include <cstdint>
#include <vector>

#include "apps/viewer/simulation/grid_state.h"

namespace tessera {

/// States that were kept on the way of a run: every generation up to the furthest one that was
/// reached can be computed again from the last state before it. Recent states lie close together,
/// older ones ever further apart, as bounded memory asks.
class Timeline {
 public:
  static constexpr std::size_t kMost = 256;  ///< states

  /// `memory`: bytes that the states may hold together.
  explicit Timeline(std::int64_t memory) : memory_(memory) {}

  void clear();
  bool empty() const { return states_.empty(); }
  /// Keeps a state in the place of one of the same generation. `edited`: a person made it, and the
  /// states before do not lead to it.
  void keep(GridState state, bool edited);
  /// Notes that a generation was reached.
  void reached(std::int64_t generation);
  /// Forgets `generation` and what follows.
  void cut(std::int64_t generation);
  /// The first edited state that stepping from a generation on to another one would meet, or a
  /// negative number where there is none.
  std::int64_t edit_between(std::int64_t from, std::int64_t to) const;

  /// The last state of `generation` or before, or null.
  const GridState* before(std::int64_t generation) const;
  /// The first and the last generation that can be gone to; needs a state.
  std::int64_t first() const { return states_.front().state.generation; }
  std::int64_t last() const { return last_; }

  std::int64_t bytes() const;
  std::size_t size() const { return states_.size(); }

 private:
  struct Kept {
    GridState state;
    bool edited = false;
  };
  void thin();

  std::int64_t memory_;
  std::int64_t last_ = 0;
  std::vector<Kept> states_;  // by generation
};

}  // namespace tessera
