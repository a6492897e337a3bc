#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/viewer/simulation/grid_state.h"

namespace tessera {

/// Cells of a rectangle, before and after an edit.
struct Patch {
  Cell at;
  CellGrid before;
  CellGrid after;
};

/// Where Reset leads: the state before the first generation.
struct ResetPoint {
  std::int64_t generation = 0;
  std::optional<GridState> state;  ///< known once generations were stepped, unless it is too large
};

/// Something that can be undone: edited cells, or a whole state that became another one, and the
/// selection before and after.
struct Change {
  std::string label{};  ///< what the menu shows, as in "Undo Paste"
  std::vector<Patch> patches{};
  std::optional<GridState> before{};
  std::optional<GridState> after{};  ///< of a run it is known once the run is undone
  bool run = false;                  ///< generations were stepped
  std::optional<Rect> selection_before{};
  std::optional<Rect> selection_after{};
  std::optional<ResetPoint> reset_before{};  ///< of a new start
  std::optional<ResetPoint> reset_after{};
  std::uint64_t serial = 0;  ///< given by UndoStack

  std::int64_t bytes() const;
  /// True when a person changed cells, as opposed to stepping or selecting.
  bool edits() const { return !patches.empty(); }
};

/// Changes done and undone, the oldest dropped when they would hold more memory than allowed.
class UndoStack {
 public:
  explicit UndoStack(std::int64_t memory) : memory_(memory) {}

  std::int64_t memory() const { return memory_; }
  /// Remembers a change that was just made; what had been undone is forgotten.
  void push(Change change);
  void clear();

  /// The last change that is done, or that was undone; null when there is none.
  Change* last_done() { return done_.empty() ? nullptr : &done_.back(); }
  Change* last_undone() { return undone_.empty() ? nullptr : &undone_.back(); }
  /// Moves the last done change to the undone ones, and back.
  void mark_undone();
  void mark_redone();

  /// The serial of the last edit that is done; tells whether cells are as they were saved.
  std::uint64_t last_edit() const;

 private:
  std::int64_t memory_;
  std::uint64_t serial_ = 0;
  std::uint64_t forgotten_edit_ = 0;
  std::vector<Change> done_;
  std::vector<Change> undone_;
};

}  // namespace tessera
