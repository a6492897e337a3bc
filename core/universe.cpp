#include "core/universe.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/cells/rasterize.h"

namespace tessera {

namespace {

std::string at_text(std::int64_t x, std::int64_t y) {
  return "(" + std::to_string(x) + ", " + std::to_string(y) + ")";
}

// What a universe with edges has: "cells are (-2, -1) to (1, 1)", "rows are -1 to 1".
std::string extent_text(const RuleSpec& spec) {
  const Rect all = spec.cells();
  const std::int64_t right = all.x + all.width - 1, bottom = all.y + all.height - 1;
  if (spec.bounded()) return "cells are " + at_text(all.x, all.y) + " to " + at_text(right, bottom);
  return spec.height != 0 ? "rows are " + std::to_string(all.y) + " to " + std::to_string(bottom)
                          : "columns are " + std::to_string(all.x) + " to " + std::to_string(right);
}

bool near_enough(std::initializer_list<std::int64_t> coordinates) {
  return std::all_of(coordinates.begin(), coordinates.end(),
                     [](std::int64_t c) { return c >= -kFarthestCell && c <= kFarthestCell; });
}

}  // namespace

Universe::Universe(const RuleSpec& spec, BackendFactory factory, std::int64_t max_memory,
                   SpaceChoice choice)
    : space_(make_space(spec, std::move(factory), max_memory, choice)) {}

// Throws, naming the first cell outside, unless a universe with edges holds the pattern's `cells`.
void Universe::check_fits(const Pattern& pattern, const Cell& at, const Rect& cells) const {
  const Rect grid = spec().cells();
  if (!spec().has_edges() || grid.contains(cells)) return;
  CellRuns::Reader reader = pattern.cells.reader();
  while (const std::optional<CellRun> run = reader.next()) {
    const std::int64_t x = run->x + at.x, y = run->y + at.y, end = x + run->length;
    const bool row_inside = y >= grid.y && y < grid.y + grid.height;
    if (row_inside && x >= grid.x && end <= grid.x + grid.width) continue;
    const std::int64_t first = row_inside && x >= grid.x ? std::max(x, grid.x + grid.width) : x;
    throw InputError("the pattern's live cell at " + at_text(first, y) +
                     " lies outside the universe " + to_string(spec()) + ", whose " +
                     extent_text(spec()));
  }
}

void Universe::place(const Pattern& pattern) {
  const std::optional<Bounds> box = pattern.cells.bounds();
  if (!box) return;
  const Cell at = pattern.position.value_or(Cell{0, 0});
  if (!near_enough({at.x, at.y, box->xmin, box->ymin, box->xmax, box->ymax})) {
    throw InputError("the pattern lies at " + at_text(at.x, at.y) +
                     ", beyond the coordinates that are supported (2^61)");
  }
  const Rect cells = box->shifted(at.x, at.y).rect();
  check_fits(pattern, at, cells);
  space_->add(pattern, at);
}

void Universe::load(const CellGrid& cells, const Cell& at) {
  const std::vector<Piece> pieces{{at, cells}};
  PieceList list(pieces.front().rect(), pieces);
  space_->load(list);
}

std::vector<std::int64_t> Universe::census() {
  std::vector<std::int64_t> counts(std::size_t{1} << spec().rule.planes());
  const std::unique_ptr<PieceSource> all = pieces(extent());
  while (const std::optional<Piece> piece = all->next()) {
    const std::vector<std::int64_t> here = piece->cells.census();
    for (std::size_t state = 0; state < counts.size(); state++) counts[state] += here[state];
  }
  return counts;
}

Pattern Universe::pattern() {
  const std::optional<Bounds> live = bounds();
  const Rect box = live ? live->rect() : Rect{0, 0, 1, 1};  // which every universe holds
  return pattern_of(*space_->pieces(box), spec(), generation());
}

}  // namespace tessera
