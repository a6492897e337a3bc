#include "core/stepping/surroundings.h"

#include <algorithm>

namespace tessera {
namespace {

// Where `along` an edge one arrives who leaves across it: -1 across the left or top one, 1 across
// the right or bottom one, 0 across none.
std::int64_t crossed(Boundary boundary, std::int64_t along, std::int64_t side, std::int64_t across,
                     std::int64_t shift) {
  if (across == 0) return along;
  // Golly's program shifts the twisted edges to this side, and draws the other one in its help.
  if (boundary == Boundary::klein_bottle) return side - 1 - along - shift;
  return along + across * shift;
}

std::int64_t across(std::int64_t at, std::int64_t side) { return at < 0 ? -1 : at >= side; }

}  // namespace

std::optional<Cell> Surroundings::cell(const Cell& at) const {
  const bool beside = across(at.x, width_) != 0, above = across(at.y, height_) != 0;
  if (!beside && !above) return at;
  const Cell nearest{std::clamp<std::int64_t>(at.x, 0, width_ - 1),
                     std::clamp<std::int64_t>(at.y, 0, height_ - 1)};
  switch (boundary_) {
    case Boundary::plane:
      return std::nullopt;
    case Boundary::cross_surface:
      // Both pairs of edges are twisted; a corner meets itself.
      if (beside && above) return nearest;
      return beside ? Cell{width_ - 1 - nearest.x, height_ - 1 - at.y}
                    : Cell{width_ - 1 - at.x, height_ - 1 - nearest.y};
    case Boundary::sphere:
      // The top edge meets the left one, and the right one the bottom one.
      if (beside && above) return nearest;
      return Cell{nearest.y, nearest.x};
    default:
      return round(at);
  }
}

// Opposite edges are joined, one pair of them perhaps shifted or twisted.
Cell Surroundings::round(const Cell& at) const {
  Cell to = at;
  if (seam_.vertical) {
    to.y = crossed(boundary_, at.y, height_, across(at.x, width_), seam_.shift);
  } else {
    to.x = crossed(boundary_, at.x, width_, across(at.y, height_), seam_.shift);
  }
  return {floor_mod(to.x, width_), floor_mod(to.y, height_)};
}

}  // namespace tessera
