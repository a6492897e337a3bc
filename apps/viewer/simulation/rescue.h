#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "apps/viewer/simulation/grid_state.h"

namespace tessera {

/// A state in memory to go on from when the device fails. Edits are kept before a step, however
/// long that takes; among themselves, for a tenth of the time at most.
class Rescue {
 public:
  /// `most_memory`: bytes beyond which a universe is too large to keep.
  explicit Rescue(std::int64_t most_memory) : most_memory_(most_memory) {}

  /// Keeps the state of a universe if that is due; `revision`: of its edits. `before_step`: it is
  /// about to be stepped.
  void keep(Universe& universe, std::uint64_t revision, bool before_step);
  void forget() { state_.reset(); }

  /// What was kept last; nothing where the universe was too large.
  const std::optional<GridState>& state() const { return state_; }

 private:
  using Clock = std::chrono::steady_clock;

  std::int64_t most_memory_;
  std::optional<GridState> state_;
  std::uint64_t revision_ = 0;
  Clock::time_point due_{};       // of the next one while it runs
  Clock::time_point edit_due_{};  // after an edit
};

}  // namespace tessera
