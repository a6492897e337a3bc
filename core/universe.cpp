#include "core/universe.h"

#include <algorithm>
#include <exception>
#include <initializer_list>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/cells/rasterize.h"
#include "core/cells/state_hash.h"

namespace tessera {

namespace {

constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();
// Absolute coordinates stay within this, so that sums of a position and a size cannot overflow.
constexpr std::int64_t kFarthest = std::int64_t{1} << 62;

std::string at_text(std::int64_t x, std::int64_t y) {
  return "(" + std::to_string(x) + ", " + std::to_string(y) + ")";
}

// Dead cells to keep around live ones on the plane: the grid is at most 2.25 times the pattern's
// box, and at least 64 generations pass between two looks at the bounds.
std::int64_t wanted_margin(const Rect& cells) {
  return std::max<std::int64_t>(64, std::max(cells.width, cells.height) / 4);
}

// `cells` with `margin` all round, widened to whole words at multiples of 64 columns.
Rect grid_for(const Rect& cells, std::int64_t margin) {
  const std::int64_t left = floor_div(cells.x - margin, 64) * 64;
  const std::int64_t right = floor_div(cells.x + cells.width + margin + 63, 64) * 64;
  return {left, cells.y - margin, right - left, cells.height + 2 * margin};
}

bool within(std::int64_t limit, std::initializer_list<std::int64_t> coordinates) {
  return std::all_of(coordinates.begin(), coordinates.end(),
                     [limit](std::int64_t c) { return c >= -limit && c <= limit; });
}

Rect united(const Rect& a, const Rect& b) {
  const std::int64_t x = std::min(a.x, b.x), y = std::min(a.y, b.y);
  return {x, y, std::max(a.x + a.width, b.x + b.width) - x,
          std::max(a.y + a.height, b.y + b.height) - y};
}

}  // namespace

Universe::Universe(const RuleSpec& spec, BackendFactory factory, std::int64_t max_memory)
    : spec_(spec), factory_(std::move(factory)), max_memory_(max_memory) {
  if (spec_.bounded()) {
    origin_ = spec_.origin();
    backend_ = make(spec_.width, spec_.height);
  } else {
    const Rect grid = grid_for({0, 0, 1, 1}, wanted_margin({}));
    origin_ = {grid.x, grid.y};
    backend_ = make(grid.width, grid.height);
  }
}

std::unique_ptr<StepBackend> Universe::make(std::int64_t width, std::int64_t height) const {
  BackendSpec spec;
  spec.width = width;
  spec.height = height;
  spec.boundary = spec_.topology == Topology::torus ? Boundary::torus : Boundary::plane;
  spec.rule = spec_.rule;
  spec.max_memory = max_memory_;
  return factory_(spec);
}

// Makes the plane's grid hold `cells` and a margin around them. The live cells move over by way of
// a copy of their bounding box, so that no more than one backend lives at a time; when the larger
// one cannot be had, the old one is made again and the state is what it was.
void Universe::hold(const Rect& cells, bool running) {
  const std::optional<Bounds> live = backend_->survey({.bounds = true}).bounds;
  std::optional<BitGrid> kept;
  Cell kept_at;
  if (live) {
    kept = backend_->download(live->rect()).plane(0);
    kept_at = {origin_.x + live->xmin, origin_.y + live->ymin};
  }
  const Rect before{origin_.x, origin_.y, backend_->spec().width, backend_->spec().height};
  const auto move_to = [&](const Rect& grid) {
    backend_.reset();
    backend_ = make(grid.width, grid.height);
    origin_ = {grid.x, grid.y};
    if (kept) backend_->edit({kept_at.x - origin_.x, kept_at.y - origin_.y}, *kept);
  };
  // A tighter grid may still fit: eight generations between two looks.
  std::exception_ptr refusal;
  for (const std::int64_t margin : {wanted_margin(cells), std::int64_t{8}}) {
    try {
      move_to(grid_for(cells, margin));
      return;
    } catch (const InputError&) {
      refusal = std::current_exception();
    } catch (const std::bad_alloc&) {
      refusal = std::current_exception();
    } catch (...) {
      move_to(before);
      throw;
    }
  }
  move_to(before);
  std::string why;
  try {
    std::rethrow_exception(refusal);
  } catch (const std::bad_alloc&) {
    why = "the machine has no memory left";
  } catch (const InputError& error) {
    if (!running) throw;
    why = error.what();
  }
  throw MemoryLimitError("generation " + std::to_string(generation_) + ": the pattern covers " +
                         std::to_string(cells.width) + "x" + std::to_string(cells.height) +
                         " cells and its universe cannot grow any further: " + why);
}

// Generations that are exact before a live cell could be born outside the grid.
std::int64_t Universe::free_generations() {
  const std::optional<Bounds> live = backend_->survey({.bounds = true}).bounds;
  if (!live) return kForever;
  const BackendSpec& grid = backend_->spec();
  return std::min(
      {live->xmin, live->ymin, grid.width - 1 - live->xmax, grid.height - 1 - live->ymax});
}

void Universe::step_grid(std::int64_t generations) {
  backend_->step(generations);
  generation_ += generations;
  const BackendSpec& grid = backend_->spec();
  cells_stepped_ += static_cast<double>(generations) * static_cast<double>(grid.width) *
                    static_cast<double>(grid.height);
}

void Universe::step(std::int64_t generations) {
  if (spec_.bounded() || generations < 0) {
    step_grid(generations);
    return;
  }
  while (generations > 0) {
    std::int64_t free = free_generations();
    if (free < generations) {
      const Bounds live = *backend_->survey({.bounds = true}).bounds;
      const Rect cells = live.shifted(origin_.x, origin_.y).rect();
      if (!within(kFarthest - (std::int64_t{1} << 50), {cells.x, cells.y})) {
        throw MemoryLimitError("generation " + std::to_string(generation_) +
                               ": the pattern has reached " + at_text(cells.x, cells.y) +
                               ", beyond the coordinates that are supported");
      }
      if (free < wanted_margin(cells) / 2) {
        hold(cells, true);
        free = free_generations();
      }
    }
    // An empty plane stays empty: B0 is refused on it.
    const std::int64_t now = std::min(generations, free);
    if (free != kForever) {
      step_grid(now);
    } else {
      generation_ += now;
    }
    generations -= now;
  }
}

void Universe::place(const Pattern& pattern) {
  const std::optional<Bounds> box = pattern.cells.bounds();
  if (!box) return;
  const Cell at = pattern.position.value_or(Cell{0, 0});
  if (!within(kFarthest / 2, {at.x, at.y, box->xmin, box->ymin, box->xmax, box->ymax})) {
    throw InputError("the pattern lies at " + at_text(at.x, at.y) +
                     ", beyond the coordinates that are supported (2^61)");
  }
  const Rect cells = box->shifted(at.x, at.y).rect();
  const auto grid_rect = [&] {
    return Rect{origin_.x, origin_.y, backend_->spec().width, backend_->spec().height};
  };
  if (spec_.bounded() && !grid_rect().contains(cells)) {
    CellRuns::Reader reader = pattern.cells.reader();
    while (const std::optional<CellRun> run = reader.next()) {
      const std::int64_t x = run->x + at.x, y = run->y + at.y, end = x + run->length;
      const Rect grid = grid_rect();
      const bool row_inside = y >= grid.y && y < grid.y + grid.height;
      if (row_inside && x >= grid.x && end <= grid.x + grid.width) continue;
      const std::int64_t first = row_inside && x >= grid.x ? std::max(x, grid.x + grid.width) : x;
      throw InputError("the pattern's live cell at " + at_text(first, y) +
                       " lies outside the universe " + to_string(spec_) + ", whose cells are " +
                       at_text(grid.x, grid.y) + " to " +
                       at_text(grid.x + grid.width - 1, grid.y + grid.height - 1));
    }
  }
  reach(cells);
  const Cell inside{cells.x - origin_.x, cells.y - origin_.y};
  BitGrid window = backend_->download({inside.x, inside.y, cells.width, cells.height}).plane(0);
  draw_runs(pattern.cells, at, window, {cells.x, cells.y});
  backend_->edit(inside, window);
}

// Makes the plane's grid hold `cells` besides what lives already.
void Universe::reach(const Rect& cells) {
  const Rect grid{origin_.x, origin_.y, backend_->spec().width, backend_->spec().height};
  if (spec_.bounded() || grid.contains(cells)) return;
  const std::optional<Bounds> live = bounds();
  hold(live ? united(live->rect(), cells) : cells, false);
}

void Universe::edit(const Cell& at, const BitGrid& cells) {
  if (!within(kFarthest / 2, {at.x, at.y})) {
    throw InputError("cells at " + at_text(at.x, at.y) +
                     " lie beyond the coordinates that are supported (2^61)");
  }
  const Rect rect{at.x, at.y, cells.width(), cells.height()};
  if (spec_.bounded()) {
    if (!Rect{origin_.x, origin_.y, spec_.width, spec_.height}.contains(rect)) {
      throw InputError("a rectangle of " + std::to_string(rect.width) + "x" +
                       std::to_string(rect.height) + " cells at " + at_text(at.x, at.y) +
                       " does not lie inside the universe " + to_string(spec_));
    }
    backend_->edit({at.x - origin_.x, at.y - origin_.y}, cells);
    return;
  }
  if (const std::optional<Bounds> box = cells.bounds()) reach(box->shifted(at.x, at.y).rect());
  // What lies outside the grid is dead on both sides.
  const std::int64_t left = std::max(rect.x, origin_.x), top = std::max(rect.y, origin_.y);
  const std::int64_t right = std::min(rect.x + rect.width, origin_.x + backend_->spec().width);
  const std::int64_t bottom = std::min(rect.y + rect.height, origin_.y + backend_->spec().height);
  if (left >= right || top >= bottom) return;
  backend_->edit({left - origin_.x, top - origin_.y},
                 cells.window({left - at.x, top - at.y, right - left, bottom - top}));
}

void Universe::clear() { backend_->fill(Soup{0, 0}); }

void Universe::fill(const Soup& soup) {
  if (!spec_.bounded()) {
    throw InputError(
        "a soup needs a bounded universe: give a size, as in --size 4096x4096 or rule " +
        to_string(spec_.rule) + ":T4096,4096");
  }
  backend_->fill(soup);
}

void Universe::load(const BitGrid& cells, const Cell& at) {
  if (spec_.bounded()) {
    if (at != origin_) {
      throw InputError("the cells start at " + at_text(at.x, at.y) + " but the universe " +
                       to_string(spec_) + " starts at " + at_text(origin_.x, origin_.y));
    }
    backend_->upload(cells);
    return;
  }
  if (!within(kFarthest, {at.x, at.y})) {
    throw InputError("the cells start at " + at_text(at.x, at.y) +
                     ", beyond the coordinates that are supported (2^62)");
  }
  backend_->upload(BitGrid(backend_->spec().width, backend_->spec().height));
  const std::optional<Bounds> box = cells.bounds();
  if (!box) return;
  hold(box->shifted(at.x, at.y).rect(), false);
  backend_->edit({at.x + box->xmin - origin_.x, at.y + box->ymin - origin_.y},
                 cells.window(box->rect()));
}

void Universe::synchronize() { backend_->synchronize(); }

std::int64_t Universe::population() { return backend_->survey({.population = true}).population; }

std::optional<Bounds> Universe::bounds() {
  const std::optional<Bounds> box = backend_->survey({.bounds = true}).bounds;
  if (!box) return std::nullopt;
  return box->shifted(origin_.x, origin_.y);
}

std::uint64_t Universe::hash() {
  const Rect grid{0, 0, backend_->spec().width, backend_->spec().height};
  return spec_.bounded()
             ? backend_->survey({.hash = true}).hash
             : backend_->survey(grid, {.hash = true}, floor_div(origin_.x, 64), origin_.y).hash;
}

BitGrid Universe::window(const Rect& rect) {
  BitGrid out(rect.width, rect.height);
  const BackendSpec& grid = backend_->spec();
  const std::int64_t left = std::max(rect.x, origin_.x), top = std::max(rect.y, origin_.y);
  const std::int64_t right = std::min(rect.x + rect.width, origin_.x + grid.width);
  const std::int64_t bottom = std::min(rect.y + rect.height, origin_.y + grid.height);
  if (left < right && top < bottom) {
    out.paste(left - rect.x, top - rect.y,
              backend_->download({left - origin_.x, top - origin_.y, right - left, bottom - top})
                  .plane(0));
  }
  return out;
}

Pattern Universe::pattern() {
  Pattern out;
  out.rule = spec_;
  out.generation = generation_;
  const std::optional<Bounds> live = backend_->survey({.bounds = true}).bounds;
  if (!live) return out;
  const Rect box = live->rect();
  out.cells = runs_of(backend_->download(box).plane(0), {0, 0});
  out.width = box.width;
  out.height = box.height;
  out.position = Cell{origin_.x + box.x, origin_.y + box.y};
  return out;
}

BitGrid Universe::snapshot(Cell* origin) {
  *origin = origin_;
  return backend_->download().plane(0);
}

void Universe::use(BackendFactory factory) {
  const CellGrid cells = backend_->download();
  std::swap(factory_, factory);
  std::unique_ptr<StepBackend> next;
  try {
    next = make(cells.width(), cells.height());
    next->upload(cells);
  } catch (...) {
    std::swap(factory_, factory);
    throw;
  }
  backend_ = std::move(next);
}

}  // namespace tessera
