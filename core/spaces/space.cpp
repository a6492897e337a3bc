#include "core/spaces/space.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "core/base/error.h"
#include "core/cells/rasterize.h"
#include "core/pictures/state_pixels.h"
#include "core/spaces/grid_view.h"

namespace tessera {

namespace {

// A cell beyond this could soon be at a coordinate whose sum with a size overflows.
constexpr std::int64_t kFarthestStepped = (std::int64_t{1} << 62) - (std::int64_t{1} << 50);

bool within(std::int64_t limit, const Rect& rect) {
  return std::max(rect.x, rect.y) <= limit && std::min(rect.x, rect.y) >= -limit;
}

constexpr std::int64_t kViewBandCells = std::int64_t{1} << 24;

void check_view(const View& view) {
  if (view.cells.empty() || view.scale < 1 || view.scale > View::kMaxScale) {
    throw InputError("a view must not be empty and its scale must be in 1 .. 2^31");
  }
}

std::string place_text(const Rect& rect) {
  return "(" + std::to_string(rect.x) + ", " + std::to_string(rect.y) + ")";
}

}  // namespace

void Space::passed(std::int64_t generations, double cells) {
  generation_ += generations;
  cells_stepped_ += static_cast<double>(generations) * cells;
}

Rect Space::whole() const { return spec_.cells(); }

void Space::check_reach(const Rect& cells) const {
  if (within(kFarthestStepped, cells)) return;
  throw MemoryLimitError("generation " + std::to_string(generation()) +
                         ": the pattern has reached " + place_text(cells) +
                         ", beyond the coordinates that are supported");
}

std::int64_t Space::free_reach(const Rect& cells) const {
  const std::int64_t farthest = std::max({cells.x, cells.y, -cells.x, -cells.y,
                                          cells.x + cells.width - 1, cells.y + cells.height - 1});
  return std::max<std::int64_t>(0, kFarthestStepped - farthest) / spec_.reach();
}

void Space::step(std::int64_t generations) {
  if (generations < 0) {
    throw InputError("step: " + std::to_string(generations) +
                     " generations; 0 or more are accepted");
  }
  if (generations > 0) do_step(generations);
}

Rect Space::extent() {
  if (spec_.bounded()) return whole();
  const std::optional<Bounds> box = survey({.bounds = true}).bounds;
  return box ? box->rect() : Rect{0, 0, 1, 1};
}

CellGrid Space::read(const Rect& rect) { return do_read(rect); }

std::vector<CellGrid> Space::do_reads(std::span<const Rect> rects) {
  std::vector<CellGrid> all;
  for (const Rect& rect : rects) all.push_back(do_read(rect));
  return all;
}

std::unique_ptr<PieceSource> Space::pieces(const Rect& rect) {
  check_inside(rect);
  return do_pieces(rect);
}

std::vector<Shard> Space::write_shards(const ShardOrder&) { return {}; }

std::unique_ptr<PieceSource> Space::do_pieces(const Rect& rect) {
  return std::make_unique<BandSource>(rect, [this](const Rect& band) { return do_read(band); });
}

void Space::check_inside(const Rect& rect) const {
  if (!spec_.has_edges() || whole().contains(rect)) return;
  throw InputError("a rectangle of " + std::to_string(rect.width) + "x" +
                   std::to_string(rect.height) + " cells at " + place_text(rect) +
                   " does not lie inside the universe " + to_string(spec_));
}

void Space::edit(const Cell& at, const CellGrid& cells) {
  const Rect rect{at.x, at.y, cells.width(), cells.height()};
  if (!within(kFarthestCell, rect)) {
    throw InputError("cells at " + place_text(rect) +
                     " lie beyond the coordinates that are supported (2^61)");
  }
  check_inside(rect);
  do_edit(at, cells);
}

void Space::add(const CellRuns& cells, const Cell& at) {
  if (cells.empty()) return;
  if (spec_.rule.planes() == 1) {
    do_add(cells, at);
  } else {
    add(cells, {&cells, 1}, at);
  }
}

void check_planes(std::span<const CellRuns> planes, const RuleSpec& spec) {
  if (std::ssize(planes) <= spec.rule.planes()) return;
  throw InputError("the pattern has cells of more states than the " +
                   std::to_string(spec.rule.states()) + " of the rule " + rules_text(spec));
}

void Space::add(const Pattern& pattern, const Cell& at) {
  if (pattern.planes.empty()) {
    add(pattern.cells, at);
    return;
  }
  add(pattern.cells, pattern.planes, at);
}

void Space::add(const CellRuns& live, std::span<const CellRuns> planes, const Cell& at) {
  check_planes(planes, spec_);
  if (!live.empty()) do_add_states(live, planes, at);
}

void Space::do_add_states(const CellRuns& live, std::span<const CellRuns> planes, const Cell& at) {
  const Rect box = live.bounds()->shifted(at.x, at.y).rect();
  do_reserve(box);
  CellGrid mixed = do_read(box);
  BitGrid all(box.width, box.height);
  draw_runs(live, at, all, {box.x, box.y});
  for (int p = 0; p < mixed.planes(); p++) {
    BitGrid set(box.width, box.height);
    if (p < std::ssize(planes))
      draw_runs(planes[static_cast<std::size_t>(p)], at, set, {box.x, box.y});
    const std::span<std::uint64_t> words = mixed.plane(p).words();
    for (std::size_t i = 0; i < words.size(); i++)
      words[i] = (words[i] & ~all.words()[i]) | set.words()[i];
  }
  do_edit({box.x, box.y}, mixed);
}

void Space::do_add(const CellRuns& cells, const Cell& at) {
  const Rect box = cells.bounds()->shifted(at.x, at.y).rect();
  // Before so many cells are read: there may be no room for them.
  do_reserve(box);
  CellGrid window = do_read(box);
  draw_runs(cells, at, window.plane(0), {box.x, box.y});
  do_edit({box.x, box.y}, window);
}

void Space::load(PieceSource& pieces) {
  const Rect rect = pieces.extent();
  if (!within(2 * kFarthestCell, rect)) {
    throw InputError("the cells start at " + place_text(rect) +
                     ", beyond the coordinates that are supported (2^62)");
  }
  check_inside(rect);
  do_load(pieces);
}

void Space::do_load(PieceSource& pieces) {
  do_clear();
  while (const std::optional<Piece> piece = pieces.next()) do_edit(piece->at, piece->cells);
}

void Space::take(Space& other, std::int64_t together) {
  if (together == 1) {
    load(*other.pieces(other.extent()));
  } else {
    BandSource bands(
        other.extent(), [&other](const Rect& band) { return other.read(band); }, together);
    load(bands);
  }
  generation_ = other.generation_;
  cells_stepped_ = other.cells_stepped_;
}

void Space::fill(const Soup& soup) {
  if (!spec_.bounded()) {
    throw InputError(
        "a soup needs a bounded universe: give a size, as in --size 4096x4096 or rule " +
        rules_text(spec_) + ":T4096,4096");
  }
  do_fill(soup);
}

void Space::do_fill(const Soup& soup) {
  do_edit(spec_.origin(), make_soup_cells(soup, spec_.width, spec_.height, spec_.rule.planes()));
}

void Space::look(const View& view, DensityImage& image) {
  check_view(view);
  do_look(view, image);
}

void Space::look_states(const View& view, DensityImage& image) {
  check_view(view);
  const auto plain = [this](const View& part, DensityImage& out) {
    const Rect& rect = part.cells;
    // A pixel never covers more than the rectangle: larger scales mean the same.
    const std::int64_t scale = std::min(part.scale, std::max(rect.width, rect.height));
    out.reshape(ceil_div(rect.width, scale), ceil_div(rect.height, scale));
    const std::int64_t rows = std::max<std::int64_t>(1, kViewBandCells / rect.width / scale);
    for (std::int64_t py = 0; py < out.height; py += rows) {
      const std::int64_t top = py * scale;
      const std::int64_t height = std::min(rows * scale, rect.height - top);
      state_pixels(do_read({rect.x, rect.y + top, rect.width, height}), scale, out, py);
    }
  };
  const bool round = view.wrapped && spec_.topology == Topology::torus && spec_.bounded();
  if (round && !whole().contains(view.cells)) {
    view_round(whole(), view, plain, image);
  } else {
    plain(view, image);
  }
}

}  // namespace tessera
