#include "core/patterns/macrocell.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/base/error.h"
#include "core/base/memory_text.h"
#include "core/patterns/macrocell_lines.h"
#include "core/patterns/pattern_text.h"
#include "core/patterns/quadtree_rows.h"

namespace tessera {
namespace {

constexpr std::int64_t kMostMemory = std::int64_t{8} << 30;
// A square of this level holds all coordinates.
constexpr int kMostLevel = 64;

// From cells that count from the root's corner to universe coordinates less (0, 1), modulo 2^64.
std::int64_t from_centre(std::uint64_t cell, int level) {
  return static_cast<std::int64_t>(cell - (std::uint64_t{1} << (level - 1)));
}

// The smallest level of a root that holds cells from `low` to `high`, which count from its middle.
int level_for(std::int64_t low, std::int64_t high) {
  int level = Quadtree::kLeafLevel + 1;
  while (level < kMostLevel &&
         (low < -(std::int64_t{1} << (level - 1)) || high > (std::int64_t{1} << (level - 1)) - 1)) {
    level++;
  }
  return level;
}

// Whether Golly reads the pattern only as a tree down to single cells.
bool needs_states(const Pattern& pattern) {
  return !pattern.planes.empty() ||
         (pattern.rule && (pattern.rule->rule.states() > 2 || pattern.rule->rule.from_file()));
}

}  // namespace

Macrocell::Macrocell(TextSource& text) {
  MacrocellLines lines(text, tree_, summary_.pattern);
  root_ = lines.take_root();
  const Place place = lines.root_place();
  text.check_rest();
  root_place_ = to_string(text.name(), place);
  const std::uint64_t population = tree_.population(root_.live);
  if (population > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    text.fail(place, "the pattern has more than 2^63-1 live cells");
  }
  summary_.population = static_cast<std::int64_t>(population);
  if (population == 0) return;
  trim(text, place);
  place_cells(text, place);
}

// Replaces the root by the middle of it while it is larger than needed.
void Macrocell::trim(TextSource& text, const Place& place) {
  const auto middle_of = [&](Quadtree::Node root) {
    const Quadtree::Parts quarters = tree_.parts(root);
    Quadtree::Parts middle{};
    for (unsigned i = 0; i < 4; i++) {
      const Quadtree::Parts& parts = tree_.parts(quarters[i]);
      for (unsigned j = 0; j < 4; j++) {
        if (i + j != 3 && parts[j] != Quadtree::kEmpty) {
          text.fail(place, "the pattern reaches further than 2^62 cells from the origin");
        }
      }
      middle[i] = parts[3 - i];
    }
    return tree_.join(middle);
  };
  while (tree_.level(root_.live) > kMostLevel) {
    root_.live = middle_of(root_.live);
    for (Quadtree::Node& plane : root_.planes) plane = middle_of(plane);
  }
}

void Macrocell::place_cells(TextSource& text, const Place& place) {
  box_ = tree_.box(root_.live);
  const int level = tree_.level(root_.live);
  const Bounds box{from_centre(box_.xmin, level), from_centre(box_.ymin, level),
                   from_centre(box_.xmax, level), from_centre(box_.ymax, level)};
  if (box.xmin < -kMaxCoordinate || box.xmax > kMaxCoordinate || box.ymin < -kMaxCoordinate - 1 ||
      box.ymax > kMaxCoordinate - 1) {
    text.fail(place, "the pattern reaches further than 2^62 cells from the origin");
  }
  const std::uint64_t width = box_.xmax - box_.xmin + 1;
  const std::uint64_t height = box_.ymax - box_.ymin + 1;
  if (std::max(width, height) > static_cast<std::uint64_t>(kMaxCoordinate)) {
    text.fail(place, "the cells lie further than 2^62 cells apart");
  }
  Pattern& pattern = summary_.pattern;
  pattern.position = Cell{box.xmin, box.ymin + 1};
  pattern.width = static_cast<std::int64_t>(width);
  pattern.height = static_cast<std::int64_t>(height);
  summary_.bounds = Bounds{0, 0, pattern.width - 1, pattern.height - 1};
}

std::int64_t Macrocell::memory() const {
  if (root_.live == Quadtree::kEmpty) return 0;
  // CellRuns packs a run to a byte and three numbers of 7 bits per byte.
  const int digits = (tree_.level(root_.live) + 1 + 6) / 7;
  const auto each = static_cast<std::uint64_t>(1 + 3 * digits);
  const std::uint64_t most = std::numeric_limits<std::int64_t>::max() / each;
  std::uint64_t runs = std::min(tree_.runs(root_.live), most);
  for (const Quadtree::Node plane : root_.planes) runs += std::min(tree_.runs(plane), most - runs);
  return static_cast<std::int64_t>(runs * each);
}

Pattern Macrocell::pattern() const {
  const std::int64_t needed = memory();
  if (needed > kMostMemory) {
    throw ParseError(
        root_place_,
        fmt::format("its {} live cells could take {} of memory; at most {} is accepted",
                    summary_.population, memory_text(needed), memory_text(kMostMemory)));
  }
  Pattern pattern = summary_.pattern;
  pattern.cells = runs_of(tree_, root_.live, box_.xmin, box_.ymin);
  for (const Quadtree::Node plane : root_.planes)
    pattern.planes.push_back(runs_of(tree_, plane, box_.xmin, box_.ymin));
  return pattern;
}

Pattern read_macrocell(TextSource& text) { return Macrocell(text).pattern(); }

void write_macrocell(const Pattern& pattern, TextSink& sink) {
  write_macrocell_header(pattern, sink);
  const std::optional<Bounds> bounds = pattern.cells.bounds();
  if (!bounds) return;
  const Cell at = pattern.position.value_or(Cell{0, 0});
  const Bounds box = bounds->shifted(at.x, at.y - 1);  // (0, 1) is the middle
  const int level = level_for(std::min(box.xmin, box.ymin), std::max(box.xmax, box.ymax));
  // Modulo 2^64, as the root's corner may lie at -2^63.
  const std::uint64_t half = std::uint64_t{1} << (level - 1);
  const auto corner = [half](std::int64_t position) {
    return static_cast<std::int64_t>(0 - half - static_cast<std::uint64_t>(position));
  };
  Quadtree tree;
  const auto square = [&](const CellRuns& cells) {
    return square_of(tree, cells, corner(at.x), corner(at.y - 1), level);
  };
  if (!needs_states(pattern)) {
    square(pattern.cells);
    write_macrocell_squares(tree, sink);
    return;
  }
  std::vector<Quadtree::Node> planes;
  for (const CellRuns& plane : pattern.planes) planes.push_back(square(plane));
  if (planes.empty()) planes.push_back(square(pattern.cells));
  write_macrocell_states(tree, planes, sink);
}

}  // namespace tessera
