#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backends/cpu/strip_layout.h"
#include "core/rules/state_program.h"

namespace tessera {

/// The memory, from 1 on, of each plane from 1 on; [0] is 0.
using PlaneMemory = std::array<int, kMostProgramPlanes>;

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
  /// Whether no plane moves to two others, so that the planes take each other's memory.
  bool permute() const { return permute_; }
  /// Whether a plane from 1 on never changes, and is no other plane's.
  bool stays(int plane) const {
    return permute_ && from_[static_cast<std::size_t>(plane)] == plane;
  }
  /// The memory of each plane after 0 to so many generations; plane p is in memory p at first.
  std::vector<PlaneMemory> after(int generations) const;

 private:
  std::vector<int> from_;  // the plane that moves to each, or 0
  bool permute_ = true;
};

/// What a pass over several planes needs beside plane 0.
struct StripPlanes {
  const PlaneMoves* moves = nullptr;
  const PlaneMemory* memory = nullptr;  ///< moves->after(generations of the pass)
  std::array<const std::uint64_t*, kMostProgramPlanes> front{};  ///< whole buffers, margins written
  std::array<std::uint64_t*, kMostProgramPlanes> back{};
  /// strip_window_words() words; or none where a pass steps all rows and planes permute: then they
  /// are stepped in the back buffers, and each ends in that of its memory.
  std::uint64_t* window = nullptr;
};

/// Rows of a window: some times those that a group and the generations above it take.
std::int64_t strip_window_rows(int generations, int rows);

/// Memory in which a task steps the planes from 1 on of a program of `planes` planes.
std::int64_t strip_window_words(const StripLayout& layout, int planes, int generations, int rows);

/// The rows of all planes from 1 on that a pass is at work on. Each row has its place until all its
/// generations are done; now and then those that are not done are moved to the window's beginning.
/// Without a window a row's place is that in the back buffer. Planes that never change are read
/// where they are.
class PlaneWindow {
 public:
  PlaneWindow(const StripLayout& layout, const StripPlanes& planes, int generations, int rows);

  /// Before a group whose first rows are `top` in generation 0: fetches what it needs, nothing from
  /// row `end` on.
  void enter(std::int64_t top, std::int64_t end);
  /// Word 0 of row `y` in a memory.
  std::uint64_t* row(int memory, std::int64_t y) const {
    return base_row_[static_cast<std::size_t>(memory)] + (y - base_) * row_words_;
  }
  /// Word 0 of row `y` of a plane after `t` generations, to be read.
  const std::uint64_t* read_row(std::size_t plane, int t, std::int64_t y) const {
    if (planes_.moves->stays(static_cast<int>(plane)))
      return planes_.front[plane] + layout_.at(y, 0);
    return row(memory(t)[plane], y);
  }
  /// The memory of each plane after `t` generations.
  const PlaneMemory& memory(int t) const { return planes_.memory[t]; }
  /// Copies rows [first, last), which have had all generations, from the window to the back, but
  /// of planes that never change.
  void leave(std::int64_t first, std::int64_t last) const;

 private:
  void slide(std::int64_t top);

  const StripLayout& layout_;
  const StripPlanes& planes_;
  std::int64_t generations_, group_rows_, rows_, row_words_;
  std::int64_t base_;
  std::array<std::uint64_t*, kMostProgramPlanes> base_row_{};  // of each memory: row base_, word 0
  bool begun_ = false;
};

}  // namespace tessera
