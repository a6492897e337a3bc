#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "apps/viewer/simulation/blocks.h"
#include "apps/viewer/simulation/grid_state.h"
#include "apps/viewer/simulation/undo_stack.h"
#include "core/cells/soup.h"
#include "core/stepping/driver.h"
#include "core/universe.h"

namespace tessera {

/// A universe that a person works on: selection, edits, undo, and the way back to the start.
/// Knows no window; one thread at a time. On a torus, coordinates may lie anywhere and mean the
/// cell that is seen there. Calls throw what Universe throws, with nothing changed.
class Document {
 public:
  /// `max_memory` and `space`: as for Universe. `undo_memory`: bytes that undoing may hold.
  Document(const RuleSpec& spec, BackendFactory factory, std::int64_t max_memory,
           std::int64_t undo_memory, SpaceChoice space = SpaceChoice::automatic);

  Universe& universe() { return *universe_; }
  const Universe& universe() const { return *universe_; }

  // Whole states.

  /// Starts anew with an empty universe that `begin` fills; everything can be undone.
  void start(const std::string& label, const RuleSpec& spec,
             const std::function<void(Universe&)>& begin);
  /// Moves the cells into a universe of another rule or size; returns how many live cells did not
  /// fit and are lost.
  std::int64_t set_spec(const RuleSpec& spec);
  /// Moves the cells to other backends; same bits.
  void use(BackendFactory factory);
  /// Goes on with `state` on another backend, after a device was lost.
  void rescue(const GridState& state, BackendFactory factory);
  /// Tells that generations are about to be stepped: the state before a run can be come back to.
  void before_run();
  /// Goes to a state that belongs to this run: undone as the run is.
  void travel(const GridState& state);
  /// Back to the state before the first generation. Throws InputError when it could not be kept.
  void reset();
  /// Generation that reset leads to.
  std::int64_t start_generation() const { return start_.generation; }

  // Selection.

  const std::optional<Rect>& selection() const { return selection_; }
  void select(const std::optional<Rect>& rect);
  /// All of a bounded universe, or the box of the live cells.
  void select_all();
  /// The cells of a rectangle. Throws InputError when they would take more memory than the universe
  /// and than undoing may hold, as every call does that takes cells of a rectangle.
  CellGrid read(const Rect& rect);
  /// The selection's cells. Throws InputError when nothing is selected.
  CellGrid selected();

  // Edits.

  /// A stroke of the pen is one change, from begin_stroke to end_stroke.
  /// Cells get `state`, which the rule has; 0 erases.
  void begin_stroke(int state);
  /// Draws a line of cells.
  void stroke(Cell from, Cell to);
  void end_stroke();
  bool stroking() const { return stroke_.has_value(); }

  void paste(Cell at, const CellGrid& cells, PasteMode mode, const std::string& label = "Paste");
  void cut();
  void clear_selected();
  void clear_outside();
  /// Random cells in the selection, or in all of a bounded universe when there is none.
  void fill(const Soup& soup);
  /// Replaces the selection by `change` of it, turned about its middle when sides are exchanged.
  void transform(const std::string& label, const std::function<CellGrid(const CellGrid&)>& change);
  void move_selection(std::int64_t dx, std::int64_t dy, PasteMode mode);
  /// Selection and cells, taken along: all live cells die.
  void clear_all();

  /// One more whenever cells changed otherwise than by stepping.
  std::uint64_t revision() const { return revision_; }

  // Undo.

  /// What undo and redo would do, or empty.
  std::string undo_label();
  std::string redo_label();
  /// False when there is nothing to undo or redo.
  bool undo();
  bool redo();

  /// True when cells were edited since `mark_saved` or the start.
  bool modified() const { return undo_.last_edit() != saved_edit_; }
  /// No file has the cells, whatever is undone.
  void mark_unsaved() { saved_edit_ = std::numeric_limits<std::uint64_t>::max(); }
  void mark_saved() { saved_edit_ = undo_.last_edit(); }
  /// True, once, when something was too large to be undone.
  bool take_undo_lost();

 private:
  void check_size(std::int64_t width, std::int64_t height) const;
  using EditCells = std::function<void(CellGrid& cells, const Rect& part)>;

  void edit(const Rect& rect, Change& change, const EditCells& edit_cells);
  void kill_selected(const std::string& label);
  void clear_but(const std::string& label, const std::function<void()>& put_back);
  void commit(Change change);
  std::optional<GridState> capture_within_limit();
  void go_to(const GridState& state);
  std::unique_ptr<Universe> make(const RuleSpec& spec) const;
  CellGrid empty(std::int64_t width, std::int64_t height) const;
  const Rect& need_selection() const;

  BackendFactory factory_;
  std::int64_t max_memory_;
  SpaceChoice space_;
  std::unique_ptr<Universe> universe_;
  std::optional<Rect> selection_;
  UndoStack undo_;
  std::uint64_t saved_edit_ = 0;
  std::uint64_t revision_ = 0;
  bool undo_lost_ = false;
  std::optional<Change> stroke_;
  int stroke_state_ = 1;
  ResetPoint start_;
};

}  // namespace tessera
