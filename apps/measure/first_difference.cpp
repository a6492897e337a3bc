#include "apps/measure/first_difference.h"

#include <memory>

namespace tessera {

namespace {

bool comes_before(const Cell& a, const Cell& b) { return a.y < b.y || (a.y == b.y && a.x < b.x); }

// The first cell in reading order in which grids of one size differ.
std::optional<Cell> first_difference(const CellGrid& a, const CellGrid& b) {
  if (a == b) return std::nullopt;
  for (std::int64_t y = 0; y < a.height(); y++) {
    for (std::int64_t x = 0; x < a.width(); x++) {
      if (a.state(x, y) != b.state(x, y)) return Cell{x, y};
    }
  }
  return std::nullopt;
}

// Where `one` has cells: the first in which `other` differs from it, if that is before `found`.
std::optional<Cell> first_difference(Universe& one, Universe& other, std::optional<Cell> found) {
  const std::unique_ptr<PieceSource> pieces = one.pieces(one.extent());
  while (const std::optional<Piece> piece = pieces->next()) {
    const Rect rect = piece->rect();
    if (found && comes_before(*found, piece->at)) continue;
    const std::optional<Cell> cell = first_difference(piece->cells, other.window(rect));
    if (!cell) continue;
    const Cell at{rect.x + cell->x, rect.y + cell->y};
    if (!found || comes_before(at, *found)) found = at;
  }
  return found;
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
  found.state = cell->state;
  found.other = cell->other;
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
  // Piece by piece: on the plane, live cells may lie far apart.
  const std::optional<Cell> cell =
      first_difference(other, one, first_difference(one, other, std::nullopt));
  if (!cell) return std::nullopt;
  const auto state = [&](Universe& of) { return of.window({cell->x, cell->y, 1, 1}).state(0, 0); };
  return DifferentCell{*cell, state(one), state(other)};
}

Difference locate(const Contender& judge, const Contender& wrong,
                  const std::vector<std::int64_t>& checkpoints, std::int64_t block,
                  Difference seen) {
  if (auto found = step_again(judge, wrong, checkpoints, block, seen)) return *found;
  seen.repeatable = false;
  return seen;
}

}  // namespace tessera
