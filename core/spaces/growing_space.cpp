#include "core/spaces/growing_space.h"

#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace tessera {

namespace {

Bounds united(const Bounds& a, const Bounds& b) {
  return {std::min(a.xmin, b.xmin), std::min(a.ymin, b.ymin), std::max(a.xmax, b.xmax),
          std::max(a.ymax, b.ymax)};
}

Bounds bounds_of(const Rect& rect) {
  return {rect.x, rect.y, rect.x + rect.width - 1, rect.y + rect.height - 1};
}

// Dead cells to keep on both ends of a side of live ones where the universe has no end: the grid of
// a large pattern is at most 2.25 times its box, however long and thin that is, and at least 64
// generations pass between two looks at the bounds; fewer, but 4, under rules of such range that
// this would be more than 2048 cells.
std::int64_t wanted_margin(std::int64_t side, const RuleSpec& spec) {
  const std::int64_t reach = spec.reach();
  return std::max(std::clamp<std::int64_t>(2048 / reach, 4, 64) * reach, side / 4);
}

// What may still fit where that does not: eight generations between two looks, or two.
std::int64_t tight_margin(std::int64_t, const RuleSpec& spec) {
  return std::min<std::int64_t>(8, 1024 / spec.reach()) * spec.reach();
}

// `cells` with a margin of each side by its length, widened to whole words at multiples of 64
// columns; the whole of a side that ends.
template <class Margin>
Rect widened(const Rect& cells, const RuleSpec& spec, const Margin& margin) {
  Rect grid = spec.cells();
  if (spec.width == 0) {
    const std::int64_t beside = margin(cells.width, spec);
    grid.x = floor_div(cells.x - beside, 64) * 64;
    grid.width = floor_div(cells.x + cells.width + beside + 63, 64) * 64 - grid.x;
  }
  if (spec.height == 0) {
    const std::int64_t beside = margin(cells.height, spec);
    grid.y = cells.y - beside;
    grid.height = cells.height + 2 * beside;
  }
  return grid;
}

}  // namespace

GrowingSpace::GrowingSpace(const RuleSpec& spec, BackendFactory factory, std::int64_t max_memory)
    : DenseSpace(spec, std::move(factory), max_memory) {
  const Rect cell{0, 0, 1, 1};
  make(grid_for(cell, spec));
}

Rect GrowingSpace::grid_for(const Rect& cells, const RuleSpec& spec) {
  return widened(cells, spec, wanted_margin);
}

// Generations that are exact before a live cell could be born outside the grid.
GrowingSpace::Room GrowingSpace::room(const Bounds& live) const {
  const Rect& held = grid();
  const Rect cells = live.rect();
  Room found{kMaxSide, false};
  const auto take = [&](std::int64_t side, std::int64_t before, std::int64_t behind) {
    const std::int64_t free = std::min(before, behind) / spec().reach();
    found.generations = std::min(found.generations, free);
    found.small |= free < wanted_margin(side, spec()) / 2 / spec().reach();
  };
  if (spec().width == 0) take(cells.width, live.xmin - held.x, held.x + held.width - 1 - live.xmax);
  if (spec().height == 0)
    take(cells.height, live.ymin - held.y, held.y + held.height - 1 - live.ymax);
  return found;
}

void GrowingSpace::do_step(std::int64_t generations) {
  while (generations > 0) {
    const std::optional<Bounds> live = live_box();
    if (!live) {
      // An empty plane stays empty, also under B0, where cells are what differs from the
      // background.
      passed(generations, 0);
      return;
    }
    Room free = room(*live);
    if (free.generations < generations) {
      const Rect cells = live->rect();
      check_reach(cells);
      if (free.small) {
        hold(live, cells, true);
        free = room(*live);
      }
    }
    const std::int64_t now = std::min(generations, free.generations);
    step_grid(now);
    generations -= now;
  }
}

// Replaces the backend by one of another grid. The live cells move over by way of a copy of their
// bounding box, so that no more than one backend lives at a time.
void GrowingSpace::move_to(const Rect& grid, const std::optional<Bounds>& live,
                           const CellGrid& kept) {
  drop();
  make(grid);
  if (live) put({live->xmin, live->ymin}, kept);
}

// Makes the grid hold `cells` and a margin around them. When the larger one cannot be had, the old
// one is made again and the state is what it was.
void GrowingSpace::hold(const std::optional<Bounds>& live, const Rect& cells, bool running) {
  const CellGrid kept = live ? read(live->rect()) : CellGrid(1, 1, spec().rule.planes());
  const Rect before = grid();
  std::exception_ptr refusal;
  for (const Rect& wanted :
       {widened(cells, spec(), wanted_margin), widened(cells, spec(), tight_margin)}) {
    try {
      move_to(wanted, live, kept);
      return;
    } catch (const InputError&) {
      refusal = std::current_exception();
    } catch (const std::bad_alloc&) {
      refusal = std::current_exception();
    } catch (const DeviceMemoryError&) {
      refusal = std::current_exception();
    } catch (...) {
      move_to(before, live, kept);
      throw;
    }
  }
  move_to(before, live, kept);
  try {
    std::rethrow_exception(refusal);
  } catch (const std::bad_alloc&) {
    cannot_grow(cells, "the machine has no memory left");
  } catch (const DeviceMemoryError& error) {
    cannot_grow(cells, error.what());
  } catch (const InputError& error) {
    if (!running) throw;
    cannot_grow(cells, error.what());
  }
}

void GrowingSpace::cannot_grow(const Rect& cells, const std::string& why) const {
  throw MemoryLimitError("generation " + std::to_string(generation()) + ": the pattern covers " +
                         std::to_string(cells.width) + "x" + std::to_string(cells.height) +
                         " cells and its universe cannot grow any further: " + why);
}

void GrowingSpace::do_reserve(const Rect& rect) {
  if (grid().contains(rect)) return;
  const std::optional<Bounds> live = live_box();
  hold(live, live ? united(*live, bounds_of(rect)).rect() : rect, false);
}

void GrowingSpace::do_edit(const Cell& at, const CellGrid& cells) {
  if (!grid().contains({at.x, at.y, cells.width(), cells.height()})) {
    if (const std::optional<Bounds> box = cells.bounds()) {
      do_reserve(box->shifted(at.x, at.y).rect());
    }
  }
  put(at, cells);  // what lies outside the grid is dead on both sides
}

void GrowingSpace::do_load(PieceSource& pieces) {
  clear();
  hold(std::nullopt, pieces.extent(), false);
  while (const std::optional<Piece> piece = pieces.next()) put(piece->at, piece->cells);
}

}  // namespace tessera
