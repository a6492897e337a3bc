#include "apps/viewer/simulation/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/memory_text.h"

namespace tessera {
namespace {

std::int64_t sign(std::int64_t v) { return (v > 0) - (v < 0); }

void kill(CellGrid& cells, const Rect&) {
  cells = CellGrid(cells.width(), cells.height(), cells.planes());
}

}  // namespace

Document::Document(const RuleSpec& spec, BackendFactory factory, std::int64_t max_memory,
                   std::int64_t undo_memory, SpaceChoice space)
    : factory_(std::move(factory)),
      max_memory_(max_memory),
      space_(space),
      universe_(make(spec)),
      undo_(undo_memory) {}

// Dead cells of as many planes as the rule's.
CellGrid Document::empty(std::int64_t width, std::int64_t height) const {
  return CellGrid(width, height, universe_->spec().rule.planes());
}

std::unique_ptr<Universe> Document::make(const RuleSpec& spec) const {
  return std::make_unique<Universe>(spec, factory_, max_memory_, space_);
}

// Nothing when the state would be too large to keep; then nothing before it can be undone.
std::optional<GridState> Document::capture_within_limit() {
  if (universe_->memory() <= undo_.memory()) return capture(*universe_);
  undo_.clear();
  undo_lost_ = true;
  return std::nullopt;
}

bool Document::take_undo_lost() { return std::exchange(undo_lost_, false); }

void Document::start(const std::string& label, const RuleSpec& spec,
                     const std::function<void(Universe&)>& begin) {
  end_stroke();
  std::unique_ptr<Universe> next = make(spec);
  begin(*next);
  Change change{.label = label,
                .before = capture_within_limit(),
                .selection_before = selection_,
                .reset_before = start_};
  universe_ = std::move(next);
  revision_++;
  selection_.reset();
  start_ = {universe_->generation(), std::nullopt};
  change.reset_after = start_;
  if (change.before) {
    change.after = capture_within_limit();
    if (change.after) undo_.push(std::move(change));
  }
  mark_saved();
}

std::int64_t Document::set_spec(const RuleSpec& spec) {
  end_stroke();
  if (spec == universe_->spec()) return 0;
  const GridState before = capture(*universe_);
  std::unique_ptr<Universe> next = make(spec);
  const std::int64_t lost = transfer(before, *next);
  universe_ = std::move(next);
  revision_++;
  Change change{.label = "Rule",
                .before = before,
                .after = capture_within_limit(),
                .selection_before = selection_,
                .selection_after = selection_};
  if (change.after) undo_.push(std::move(change));
  return lost;
}

void Document::use(BackendFactory factory) {
  universe_->use(factory);
  factory_ = std::move(factory);
}

void Document::rescue(const GridState& state, BackendFactory factory) {
  factory_ = std::move(factory);
  std::unique_ptr<Universe> next = make(state.spec);
  restore(state, *next);
  universe_ = std::move(next);
  revision_++;
  stroke_.reset();
  undo_.clear();
}

void Document::before_run() {
  end_stroke();
  const bool at_start = universe_->generation() == start_.generation;
  const Change* last = undo_.last_done();
  if (last && last->run && !at_start) return;
  std::optional<GridState> state = capture_within_limit();
  if (at_start) start_.state = state;
  if (!state || (last && last->run)) return;
  undo_.push({.label = "Generations",
              .before = std::move(state),
              .run = true,
              .selection_before = selection_,
              .selection_after = selection_});
}

void Document::reset() {
  end_stroke();
  if (universe_->generation() == start_.generation) return;
  if (!start_.state)
    throw InputError("the start was too large to keep; open the file again, or make a new soup");
  Change change{.label = "Reset",
                .before = capture_within_limit(),
                .after = start_.state,
                .selection_before = selection_,
                .selection_after = selection_};
  go_to(*start_.state);
  if (change.before) undo_.push(std::move(change));
}

void Document::travel(const GridState& state) {
  before_run();
  go_to(state);
}

void Document::go_to(const GridState& state) {
  if (state.spec == universe_->spec()) {
    restore(state, *universe_);
    revision_++;
    return;
  }
  std::unique_ptr<Universe> next = make(state.spec);
  restore(state, *next);
  universe_ = std::move(next);
  revision_++;
}

void Document::select(const std::optional<Rect>& rect) {
  end_stroke();
  if (rect == selection_) return;
  undo_.push({.label = "Select", .selection_before = selection_, .selection_after = rect});
  selection_ = rect;
}

void Document::select_all() {
  if (!universe_->spec().bounded() && !universe_->bounds()) {
    select(std::nullopt);
  } else {
    select(universe_->extent());
  }
}

// A selection may be as large as the plane; what is held of it is not.
void Document::check_size(std::int64_t width, std::int64_t height) const {
  const std::int64_t planes = universe_->spec().rule.planes();
  const std::int64_t most = std::max(undo_.memory(), universe_->memory());
  const std::optional<std::int64_t> bytes = BitGrid::bytes(width, height);
  if (bytes && *bytes <= most / planes) return;
  throw InputError(fmt::format(
      "{}x{} cells are too many at once: they would take {}, and {} are "
      "accepted; select fewer",
      width, height, bytes ? memory_text(*bytes * planes) : "more than 64 TiB", memory_text(most)));
}

CellGrid Document::read(const Rect& rect) {
  check_size(rect.width, rect.height);
  CellGrid out = empty(rect.width, rect.height);
  for (const Overlap& part : overlaps(rect, universe_->spec())) {
    out.paste(part.part.x, part.part.y,
              universe_->window({part.at.x, part.at.y, part.part.width, part.part.height}));
  }
  return out;
}

const Rect& Document::need_selection() const {
  if (!selection_)
    throw InputError("nothing is selected: drag with the select tool, or select all");
  return *selection_;
}

CellGrid Document::selected() { return read(need_selection()); }

// Edits the cells of a rectangle piece by piece and notes what became of them. `edit_cells` gets
// the cells and the part of the rectangle that they are.
void Document::edit(const Rect& rect, Change& change, const EditCells& edit_cells) {
  const std::vector<Overlap> parts = overlaps(rect, universe_->spec());
  for (const Overlap& part : parts) check_size(part.part.width, part.part.height);
  for (const Overlap& part : parts) {
    CellGrid before = universe_->window({part.at.x, part.at.y, part.part.width, part.part.height});
    CellGrid after = before;
    edit_cells(after, part.part);
    if (after == before) continue;
    revision_++;
    universe_->edit(part.at, after);
    change.patches.push_back({part.at, std::move(before), std::move(after)});
  }
}

void Document::commit(Change change) {
  if (change.patches.empty() && change.selection_before == change.selection_after) return;
  if (change.bytes() > undo_.memory()) undo_lost_ = true;
  undo_.push(std::move(change));
}

void Document::begin_stroke(int state) {
  end_stroke();
  stroke_ = Change{.label = state != 0 ? "Draw" : "Erase",
                   .selection_before = selection_,
                   .selection_after = selection_};
  stroke_state_ = state;
}

// Bresenham's line, in chunks whose boxes stay small.
void Document::stroke(Cell from, Cell to) {
  if (!stroke_) return;
  constexpr std::int64_t kChunk = 32;
  const std::int64_t columns = to.x - from.x, rows = to.y - from.y;
  const std::int64_t steps = std::max(std::abs(columns), std::abs(rows));
  const auto along = [steps](std::int64_t distance, std::int64_t i) {
    // Rounded to the nearest, away from the start.
    return steps == 0 ? 0 : sign(distance) * ((2 * i * std::abs(distance) + steps) / (2 * steps));
  };
  for (std::int64_t first = 0; first <= steps; first += kChunk) {
    const std::int64_t last = std::min(steps, first + kChunk - 1);
    const auto at = [&](std::int64_t i) {
      return Cell{from.x + along(columns, i), from.y + along(rows, i)};
    };
    const Cell a = at(first), b = at(last);
    const Rect box{std::min(a.x, b.x), std::min(a.y, b.y), std::abs(a.x - b.x) + 1,
                   std::abs(a.y - b.y) + 1};
    edit(box, *stroke_, [&](CellGrid& cells, const Rect& part) {
      for (std::int64_t i = first; i <= last; i++) {
        const std::int64_t x = at(i).x - box.x - part.x, y = at(i).y - box.y - part.y;
        if (x >= 0 && y >= 0 && x < part.width && y < part.height)
          cells.set_state(x, y, stroke_state_);
      }
    });
  }
}

void Document::end_stroke() {
  if (!stroke_) return;
  Change change = std::move(*stroke_);
  stroke_.reset();
  commit(std::move(change));
}

void Document::paste(Cell at, const CellGrid& pasted, PasteMode mode, const std::string& label) {
  end_stroke();
  const CellGrid cells = fitted(pasted, universe_->spec().rule);
  const Rect rect{at.x, at.y, cells.width(), cells.height()};
  Change change{.label = label, .selection_before = selection_, .selection_after = selection_};
  edit(rect, change,
       [&](CellGrid& under, const Rect& part) { combine(under, cells.window(part), mode); });
  commit(std::move(change));
}

void Document::clear_selected() { kill_selected("Clear"); }

void Document::cut() { kill_selected("Cut"); }

void Document::kill_selected(const std::string& label) {
  end_stroke();
  Change change{.label = label, .selection_before = selection_, .selection_after = selection_};
  edit(need_selection(), change, kill);
  commit(std::move(change));
}

void Document::clear_outside() {
  end_stroke();
  const Rect keep = need_selection();
  const CellGrid kept = read(keep);
  clear_but("Clear outside", [&] {
    for (const Overlap& part : overlaps(keep, universe_->spec())) {
      universe_->edit(part.at, kept.window(part.part));
    }
  });
}

void Document::clear_all() {
  end_stroke();
  clear_but("Clear all", [] {});
}

// Kills all cells but those that `put_back` brings back, and notes piece by piece what became of
// them.
void Document::clear_but(const std::string& label, const std::function<void()>& put_back) {
  const std::optional<Bounds> box = universe_->bounds();
  if (!box) return;
  std::vector<Piece> before;
  const std::unique_ptr<PieceSource> pieces = universe_->pieces(box->rect());
  while (std::optional<Piece> piece = pieces->next()) before.push_back(*std::move(piece));
  universe_->clear();
  revision_++;
  put_back();
  Change change{.label = label, .selection_before = selection_, .selection_after = selection_};
  for (Piece& piece : before) {
    CellGrid after = universe_->window(piece.rect());
    if (after == piece.cells) continue;
    change.patches.push_back({piece.at, std::move(piece.cells), std::move(after)});
  }
  commit(std::move(change));
}

void Document::fill(const Soup& soup) {
  end_stroke();
  const Rect rect =
      !selection_ && universe_->spec().bounded() ? universe_->extent() : need_selection();
  Change change{.label = "Fill", .selection_before = selection_, .selection_after = selection_};
  std::uint64_t seed = soup.seed;
  edit(rect, change, [&](CellGrid& cells, const Rect& part) {
    Soup next = soup;
    next.seed = seed++;
    cells = make_soup_cells(next, part.width, part.height, cells.planes());
  });
  commit(std::move(change));
}

void Document::transform(const std::string& label,
                         const std::function<CellGrid(const CellGrid&)>& turn) {
  end_stroke();
  const Rect from = need_selection();
  check_size(from.height, from.width);  // `turn` may exchange them
  const CellGrid before = read(from);
  const CellGrid after = turn(before);
  // About the middle: half of what the sides differ by, towards the top left.
  const Rect to{from.x + floor_div(from.width - after.width(), 2),
                from.y + floor_div(from.height - after.height(), 2), after.width(), after.height()};
  Change change{.label = label, .selection_before = selection_, .selection_after = to};
  edit(from, change, kill);
  edit(to, change, [&](CellGrid& cells, const Rect& part) { cells = after.window(part); });
  selection_ = to;
  commit(std::move(change));
}

void Document::move_selection(std::int64_t dx, std::int64_t dy, PasteMode mode) {
  end_stroke();
  const Rect from = need_selection();
  const CellGrid cells = read(from);
  const Rect to{from.x + dx, from.y + dy, from.width, from.height};
  Change change{.label = "Move", .selection_before = selection_, .selection_after = to};
  edit(from, change, kill);
  edit(to, change,
       [&](CellGrid& under, const Rect& part) { combine(under, cells.window(part), mode); });
  selection_ = to;
  commit(std::move(change));
}

std::string Document::undo_label() {
  if (stroke_ && !stroke_->patches.empty()) return stroke_->label;
  const Change* change = undo_.last_done();
  return change ? change->label : "";
}

std::string Document::redo_label() {
  const Change* change = undo_.last_undone();
  return change ? change->label : "";
}

bool Document::undo() {
  end_stroke();
  Change* change = undo_.last_done();
  if (!change) return false;
  if (change->run) change->after = capture(*universe_);
  if (change->before) go_to(*change->before);
  for (auto patch = change->patches.rbegin(); patch != change->patches.rend(); ++patch) {
    universe_->edit(patch->at, patch->before);
  }
  revision_++;
  selection_ = change->selection_before;
  if (change->reset_before) start_ = *change->reset_before;
  undo_.mark_undone();
  return true;
}

bool Document::redo() {
  end_stroke();
  Change* change = undo_.last_undone();
  if (!change) return false;
  if (change->after) go_to(*change->after);
  for (const Patch& patch : change->patches) universe_->edit(patch.at, patch.after);
  revision_++;
  selection_ = change->selection_after;
  if (change->reset_after) start_ = *change->reset_after;
  undo_.mark_redone();
  return true;
}

}  // namespace tessera
