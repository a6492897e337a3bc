#include "core/rules/count_edges.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

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

CellBalance change_below(const CellBalance& cells) {
  std::map<std::pair<int, int>, int> change;  // by row and column
  for (const CellOffset& each : cells.plus)
    change[{each.dy, each.dx}]++, change[{each.dy - 1, each.dx}]--;
  for (const CellOffset& each : cells.minus)
    change[{each.dy, each.dx}]--, change[{each.dy - 1, each.dx}]++;
  CellBalance out;
  for (const auto& [at, by] : change) {
    for (int i = 0; i < by; i++) out.plus.push_back({at.second, at.first});
    for (int i = 0; i > by; i--) out.minus.push_back({at.second, at.first});
  }
  return out;
}

bool are_lines(const CellBalance& cells, const CellOffset& step) {
  if (cells.plus.empty() || cells.plus.size() != cells.minus.size()) return false;
  const auto is_line = [&](const std::vector<CellOffset>& line) {
    for (std::size_t i = 1; i < line.size(); i++) {
      if (line[i].dx != line[i - 1].dx + step.dx || line[i].dy != line[i - 1].dy + step.dy)
        return false;
    }
    return true;
  };
  const CellOffset &plus = cells.plus[0], &minus = cells.minus[0];
  const bool beside = (plus.dx - minus.dx) * step.dx + (plus.dy - minus.dy) * step.dy == 0;
  return beside && is_line(cells.plus) && is_line(cells.minus);
}

bool few_corners(const CellBalance& corners, const CellBalance& cells) {
  constexpr std::size_t kMost = 16;
  return !corners.plus.empty() && corners.plus.size() <= kMost &&
         corners.plus.size() < cells.plus.size();
}

std::vector<CellOffset> counted_cells(const RangeRule& rule) {
  std::vector<CellOffset> cells;
  for (int dy = -rule.radius; dy <= rule.radius; dy++)
    for (int dx = -rule.radius; dx <= rule.radius; dx++)
      if (counts(rule, dx, dy)) cells.push_back({dx, dy});
  return cells;
}

}  // namespace tessera
