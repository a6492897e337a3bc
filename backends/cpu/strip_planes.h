#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backends/cpu/strip_layout.h"
#include "core/rules/state_program.h"

namespace tessera {

/// Where the planes of a program lie while several generations follow each other.
///
/// A plane from 1 on is read and written at the same place, and a plane that moves to another keeps
/// its memory: it only changes its number. Those that gates write take the memory of those that
/// moved nowhere.
class PlaneMoves {
 public:
  /// For programs with equal StateProgram::next.
  explicit PlaneMoves(const StateProgram& program);

  int planes() const { return static_cast<int>(from_.size()); }
  /// The memory, from 1 on, of each plane after so many generations; plane p is in memory p at
  /// first. [0] means nothing.
  std::vector<std::array<int, kMostProgramPlanes>> after(int generations) const;

 private:
  std::vector<int> from_;  // the plane that moves to each, or 0
};

/// What a pass over several planes needs beside plane 0.
struct StripPlanes {
  const PlaneMoves* moves = nullptr;
  std::array<const std::uint64_t*, kMostProgramPlanes> front{};  ///< whole buffers, margins written
  std::array<std::uint64_t*, kMostProgramPlanes> back{};
  std::uint64_t* window = nullptr;  ///< strip_window_words() words
};

/// Rows of a window: some times those that a group and the generations above it take.
std::int64_t strip_window_rows(int generations, int rows);

/// Memory in which a task steps the planes from 1 on of a program of `planes` planes.
std::int64_t strip_window_words(const StripLayout& layout, int planes, int generations, int rows);

/// The rows of all planes from 1 on that a pass is at work on. Each row has its place until all its
/// generations are done; now and then those that are not done are moved to the window's beginning.
class PlaneWindow {
 public:
  PlaneWindow(const StripLayout& layout, const StripPlanes& planes, int generations, int rows);

  /// Before a group whose first rows are `top` in generation 0: fetches what it needs.
  void enter(std::int64_t top);
  /// Word 0 of row `y` in a memory.
  std::uint64_t* row(int memory, std::int64_t y) const {
    return planes_.window + (memory - 1) * plane_words_ + (y - base_) * row_words_ + layout_.lanes;
  }
  /// The memory of each plane after `t` generations.
  const std::array<int, kMostProgramPlanes>& memory(int t) const {
    return memory_[static_cast<std::size_t>(t)];
  }
  /// Copies rows [first, last), which have had all generations, to the back.
  void leave(std::int64_t first, std::int64_t last) const;

 private:
  const StripLayout& layout_;
  const StripPlanes& planes_;
  std::vector<std::array<int, kMostProgramPlanes>> memory_;
  std::int64_t generations_, group_rows_, rows_, row_words_, plane_words_;
  std::int64_t base_ = 0;
  bool begun_ = false;
};

}  // namespace tessera
