#include "core/patterns/pattern.h"

#include <algorithm>

#include "core/base/error.h"

namespace tessera {

namespace {

[[noreturn]] void refuse_sides() {
  throw InputError("the pattern's box has a side above 2^62 cells");
}

}  // namespace

void move_cells(Pattern& pattern, std::int64_t dx, std::int64_t dy) {
  if (dx == 0 && dy == 0) return;
  pattern.cells = pattern.cells.moved(dx, dy);
  for (CellRuns& plane : pattern.planes) plane = plane.moved(dx, dy);
}

Pattern pattern_of(PieceSource& pieces, const RuleSpec& rule, std::int64_t generation) {
  Pattern out;
  out.rule = rule;
  out.generation = generation;
  const Rect extent = pieces.extent();
  if (std::max(extent.width, extent.height) > kMaxCoordinate) refuse_sides();
  out.cells = runs_of(pieces, &out.planes);
  const std::optional<Bounds> live = out.cells.bounds();
  if (!live) return out;
  const Rect box = live->rect();
  move_cells(out, -box.x, -box.y);
  out.width = box.width;
  out.height = box.height;
  out.position = Cell{extent.x + box.x, extent.y + box.y};
  return out;
}

void fit_box(Pattern& pattern) {
  const std::optional<Bounds> cells = pattern.cells.bounds();
  if (cells) {
    const std::int64_t left = std::min<std::int64_t>(cells->xmin, 0);
    const std::int64_t top = std::min<std::int64_t>(cells->ymin, 0);
    const std::int64_t right = std::max(cells->xmax, pattern.width - 1);
    const std::int64_t bottom = std::max(cells->ymax, pattern.height - 1);
    if (right >= kMaxCoordinate + left || bottom >= kMaxCoordinate + top) {
      refuse_sides();
    }
    if (left < 0 || top < 0) {
      move_cells(pattern, -left, -top);
      const Cell at = pattern.position.value_or(Cell{0, 0});
      pattern.position = Cell{at.x + left, at.y + top};
    }
    pattern.width = right - left + 1;
    pattern.height = bottom - top + 1;
  }
  if (pattern.width <= 0 || pattern.height <= 0) pattern.width = pattern.height = 0;
}

}  // namespace tessera
