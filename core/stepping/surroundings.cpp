#include "core/stepping/surroundings.h"

#include <algorithm>

namespace tessera {
namespace {

// Where `along` an edge one arrives who leaves across it: so often across the right or bottom one,
// below 0 across the left or top one.
std::int64_t crossed(Boundary boundary, std::int64_t along, std::int64_t side, std::int64_t times,
                     std::int64_t shift) {
  if (boundary != Boundary::klein_bottle) return along + floor_mod(times * shift, side);
  // Golly's program shifts the twisted edges to this side, and draws the other one in its help. Who
  // crosses them twice is where he was.
  return times % 2 == 0 ? along : side - 1 - along - shift;
}

// Whether a universe and its mirror image evolve alike. A file's rule may, but is not looked into.
bool is_mirrored(const Rule& rule, bool upside_down) {
  if (rule.ranged() || rule.from_file()) return false;
  const auto swapped = [](int pattern, int a, int b, int mask) {
    return (pattern & mask << a) >> a << b | (pattern & mask << b) >> b << a;
  };
  for (int p = 0; p < kPatterns; p++) {
    // The bits are NW N NE W C E SW S SE, from bit 8 on.
    const int image =
        upside_down ? swapped(p, 6, 0, 7) | (p & 7 << 3) : swapped(p, 2, 0, 0111) | (p & 0222);
    if (rule.next_of(p) != rule.next_of(image)) return false;
  }
  return true;
}

}  // namespace

std::optional<Cell> Surroundings::cell(const Cell& at) const {
  const bool beside = at.x < 0 || at.x >= width_, above = at.y < 0 || at.y >= height_;
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
    to.y = crossed(boundary_, at.y, height_, floor_div(at.x, width_), seam_.shift);
  } else {
    to.x = crossed(boundary_, at.x, width_, floor_div(at.y, height_), seam_.shift);
  }
  return {floor_mod(to.x, width_), floor_mod(to.y, height_)};
}

bool unrolls(const BackendSpec& spec) {
  switch (spec.boundary) {
    case Boundary::klein_bottle:
      return is_mirrored(spec.rule, spec.seam.vertical) &&
             (!spec.odd_rule || is_mirrored(*spec.odd_rule, spec.seam.vertical));
    case Boundary::cross_surface:
    case Boundary::sphere:
      return false;
    default:
      return true;
  }
}

}  // namespace tessera
