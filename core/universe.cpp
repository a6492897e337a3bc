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

bool near_enough(std::initializer_list<std::int64_t> coordinates) {
  return std::all_of(coordinates.begin(), coordinates.end(),
                     [](std::int64_t c) { return c >= -kFarthestCell && c <= kFarthestCell; });
}

}  // namespace

Universe::Universe(const RuleSpec& spec, BackendFactory factory, std::int64_t max_memory,
                   SpaceChoice choice)
    : space_(make_space(spec, std::move(factory), max_memory, choice)) {}

// Throws, naming the first cell outside, unless a bounded universe holds the pattern's `cells`.
void Universe::check_fits(const Pattern& pattern, const Cell& at, const Rect& cells) const {
  const Cell low = spec().origin();
  const Rect grid{low.x, low.y, spec().width, spec().height};
  if (!spec().bounded() || grid.contains(cells)) return;
  CellRuns::Reader reader = pattern.cells.reader();
  while (const std::optional<CellRun> run = reader.next()) {
    const std::int64_t x = run->x + at.x, y = run->y + at.y, end = x + run->length;
    const bool row_inside = y >= grid.y && y < grid.y + grid.height;
    if (row_inside && x >= grid.x && end <= grid.x + grid.width) continue;
    const std::int64_t first = row_inside && x >= grid.x ? std::max(x, grid.x + grid.width) : x;
    throw InputError("the pattern's live cell at " + at_text(first, y) +
                     " lies outside the universe " + to_string(spec()) + ", whose cells are " +
                     at_text(grid.x, grid.y) + " to " +
                     at_text(grid.x + grid.width - 1, grid.y + grid.height - 1));
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
