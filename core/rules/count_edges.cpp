#include "core/rules/count_edges.h"

#include <algorithm>
#include <cstdlib>

namespace tessera {
namespace {

bool counts(const RangeRule& rule, int dx, int dy) {
  if (std::max(std::abs(dx), std::abs(dy)) > rule.radius) return false;
  return (dx == 0 && dy == 0) || rule.neighbour(dx, dy);
}

}  // namespace

CellBalance CellBalance::moved(int dx, int dy) const {
  CellBalance out = *this;
  for (auto* cells : {&out.plus, &out.minus})
    for (CellOffset& each : *cells) each = {each.dx + dx, each.dy + dy};
  return out;
}

CountEdges::CountEdges(const RangeRule& rule, Step step) {
  const int right = step == Step::right ? 1 : 0, down = 1 - right, radius = rule.radius;
  const auto gain = [&](int dx, int dy) {
    return counts(rule, dx, dy) - counts(rule, dx + right, dy + down);
  };
  // A cell that has left stands one beyond the neighbourhood.
  for (int dy = -radius - 1; dy <= radius; dy++) {
    for (int dx = -radius - 1; dx <= radius; dx++) {
      const int here = gain(dx, dy), corner = here - gain(dx + 1, dy);
      if (here > 0) cells.plus.push_back({dx, dy});
      if (here < 0) cells.minus.push_back({dx, dy});
      for (int i = 0; i < corner; i++) corners.plus.push_back({dx, dy});
      for (int i = 0; i > corner; i--) corners.minus.push_back({dx, dy});
    }
  }
}

std::vector<CellOffset> counted_cells(const RangeRule& rule) {
  std::vector<CellOffset> cells;
  for (int dy = -rule.radius; dy <= rule.radius; dy++)
    for (int dx = -rule.radius; dx <= rule.radius; dx++)
      if (counts(rule, dx, dy)) cells.push_back({dx, dy});
  return cells;
}

}  // namespace tessera
