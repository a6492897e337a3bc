#include "apps/measure/first_difference.h"

#include <algorithm>
#include <memory>

namespace tessera {

namespace {

// Cells that are compared at a time: 8 MiB of them.
constexpr std::int64_t kCellsAtOnce = std::int64_t{1} << 26;

// Where either of two universes may have live cells.
std::optional<Rect> common_rect(Universe& one, Universe& other) {
  if (one.spec().bounded()) return one.extent();
  const std::optional<Bounds> a = one.bounds(), b = other.bounds();
  if (!a || !b) return a ? std::optional(a->rect()) : b ? std::optional(b->rect()) : std::nullopt;
  return Bounds{std::min(a->xmin, b->xmin), std::min(a->ymin, b->ymin), std::max(a->xmax, b->xmax),
                std::max(a->ymax, b->ymax)}
      .rect();
}

// A fresh universe, stepped as the lockstep run stepped it.
std::unique_ptr<Universe> replay(const Contender& contender,
                                 const std::vector<std::int64_t>& checkpoints) {
  std::unique_ptr<Universe> universe = contender.start();
  std::int64_t at = 0;
  for (const std::int64_t checkpoint : checkpoints) {
    universe->step(checkpoint - at);
    at = checkpoint;
  }
  return universe;
}

std::optional<Difference> difference_at(Universe& wrong, Universe& judge, std::int64_t generation,
                                        Difference found) {
  if (wrong.hash() == judge.hash()) return std::nullopt;
  const std::optional<DifferentCell> cell = first_different_cell(wrong, judge);
  if (!cell) return std::nullopt;  // a wrong hash, not a wrong cell: told as it was seen
  found.generation = generation;
  found.cell = cell->cell;
  found.alive = cell->alive;
  found.repeatable = true;
  return found;
}

// From the start, since what a backend does may depend on all that it did before; by halving the
// block.
std::optional<Difference> step_again(const Contender& judge, const Contender& wrong,
                                     const std::vector<std::int64_t>& checkpoints,
                                     std::int64_t block, const Difference& seen) {
  const auto at = [&](std::int64_t n) {
    const std::unique_ptr<Universe> suspect = replay(wrong, checkpoints),
                                    right = replay(judge, checkpoints);
    suspect->step(n);
    right->step(n);
    return difference_at(*suspect, *right, checkpoints.back() + n, seen);
  };
  std::optional<Difference> found = at(block);
  if (!found) return std::nullopt;
  std::int64_t same = 0, differs = block;
  while (differs - same > 1) {
    const std::int64_t middle = same + (differs - same) / 2;
    if (auto earlier = at(middle)) {
      found = std::move(earlier);
      differs = middle;
    } else {
      same = middle;
    }
  }
  return found;
}

}  // namespace

std::optional<DifferentCell> first_different_cell(Universe& one, Universe& other) {
  const std::optional<Rect> all = common_rect(one, other);
  if (!all) return std::nullopt;
  const std::int64_t rows = std::clamp<std::int64_t>(kCellsAtOnce / all->width, 1, all->height);
  for (std::int64_t y = 0; y < all->height; y += rows) {
    const Rect band{all->x, all->y + y, all->width, std::min(rows, all->height - y)};
    const CellGrid a = one.window(band), b = other.window(band);
    if (a == b) continue;
    for (std::int64_t row = 0; row < band.height; row++) {
      for (std::int64_t x = 0; x < band.width; x++) {
        if (a.state(x, row) == b.state(x, row)) continue;
        return DifferentCell{{band.x + x, band.y + row}, a.state(x, row) != 0};
      }
    }
  }
  return std::nullopt;
}

Difference locate(const Contender& judge, const Contender& wrong,
                  const std::vector<std::int64_t>& checkpoints, std::int64_t block,
                  Difference seen) {
  if (auto found = step_again(judge, wrong, checkpoints, block, seen)) return *found;
  seen.repeatable = false;
  return seen;
}

}  // namespace tessera
