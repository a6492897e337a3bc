#include "core/rules/range_rule.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>

#include "core/rules/range_notation.h"

namespace tessera {
namespace {

// The number of a cell of the square in reading order, the middle one left out.
std::size_t cell_number(int radius, int dx, int dy) {
  const int at = (dy + radius) * (2 * radius + 1) + dx + radius;
  return static_cast<std::size_t>(at > 2 * radius * (radius + 1) ? at - 1 : at);
}

std::string counts_text(const CountSet& counts, const char* between) {
  std::string text;
  for (const CountSet::Run& run : counts.runs) {
    if (!text.empty()) text += ',';
    text += std::to_string(run.first);
    if (run.last != run.first || between[0] == '.')
      text.append(between).append(std::to_string(run.last));
  }
  return text;
}

std::string cells_text(const RangeRule& rule) {
  std::string text;
  const std::size_t bits = cell_number(rule.radius, rule.radius, rule.radius) + 1;
  for (std::size_t i = 0; i < bits; i += 4) {
    int digit = 0;
    for (std::size_t bit = i; bit < i + 4; bit++)
      digit = 2 * digit + (rule.cells[bit / 8] >> bit % 8 & 1);
    text += "0123456789abcdef"[digit];
  }
  return text;
}

}  // namespace

CountSet CountSet::of(std::vector<Run> runs) {
  std::ranges::sort(runs, {}, &Run::first);
  CountSet set;
  for (const Run& run : runs) {
    if (!set.runs.empty() && run.first <= set.runs.back().last + 1) {
      set.runs.back().last = std::max(set.runs.back().last, run.last);
    } else {
      set.runs.push_back(run);
    }
  }
  return set;
}

bool CountSet::has(int count) const {
  const auto after = std::ranges::upper_bound(runs, count, {}, &Run::first);
  return after != runs.begin() && count <= std::prev(after)->last;
}

bool RangeRule::neighbour(int dx, int dy) const {
  if (dx == 0 && dy == 0) return false;
  const int x = std::abs(dx), y = std::abs(dy);
  switch (shape) {
    case RangeShape::moore:
      return true;
    case RangeShape::von_neumann:
      return x + y <= radius;
    case RangeShape::circular:
      return x * x + y * y <= radius * radius + radius;
    case RangeShape::euclidean:
      return x * x + y * y <= radius * radius;
    case RangeShape::cross:
      return x == 0 || y == 0;
    case RangeShape::saltire:
      return x == y;
    case RangeShape::star:
      return x == 0 || y == 0 || x == y;
    case RangeShape::hash:
      return x == 1 || y == 1;
    case RangeShape::checkerboard:
      return (x + y) % 2 == 1;
    case RangeShape::aligned:
      return (x + y) % 2 == 0;
    case RangeShape::hexagonal:
      return std::abs(dx - dy) <= radius;
    case RangeShape::custom:
      break;
  }
  const std::size_t at = cell_number(radius, dx, dy);
  return cells[at / 8] >> at % 8 & 1;
}

int RangeRule::most() const {
  int count = middle;
  for (int dy = -radius; dy <= radius; dy++)
    for (int dx = -radius; dx <= radius; dx++) count += neighbour(dx, dy);
  return count;
}

std::vector<RangeSpan> spans_of(const RangeRule& rule) {
  std::vector<RangeSpan> spans;
  for (int dy = -rule.radius; dy <= rule.radius; dy++) {
    bool open = false;
    for (int dx = -rule.radius; dx <= rule.radius; dx++) {
      const bool counts = dx == 0 && dy == 0 ? rule.middle : rule.neighbour(dx, dy);
      if (counts && open) spans.back().last = dx;
      if (counts && !open) spans.push_back({dy, dx, dx});
      open = counts;
    }
  }
  return spans;
}

const RangeRule* kept_range_rule(const RangeRule& rule) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<const RangeRule>> all;
  const std::lock_guard lock(mutex);
  std::unique_ptr<const RangeRule>& kept = all[range_text(rule, 2)];
  if (!kept) kept = std::make_unique<const RangeRule>(rule);
  return kept.get();
}

std::string range_text(const RangeRule& rule, int states) {
  const bool near = rule.shape == RangeShape::moore || rule.shape == RangeShape::von_neumann ||
                    rule.shape == RangeShape::circular;
  const bool golly = near && rule.survival.runs.size() == 1 && rule.birth.runs.size() == 1;
  const char* between = golly ? ".." : "-";
  std::string text("R");
  text.append(std::to_string(rule.radius));
  text.append(",C").append(std::to_string(golly && states == 2 ? 0 : states));
  if (golly || rule.middle) text += rule.middle ? ",M1" : ",M0";
  text.append(",S").append(counts_text(rule.survival, between));
  text.append(",B").append(counts_text(rule.birth, between));
  text.append(",N").append(1, letter_of(rule.shape));
  return rule.shape == RangeShape::custom ? text + cells_text(rule) : text;
}

}  // namespace tessera
