#include "backends/cuda/batch_shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/cuda/rule_source.h"
#include "core/rules/found_programs.h"
#include "core/rules/rule_tables.h"

namespace tessera::cuda {
namespace {

constexpr std::int64_t kLanes = 32;
constexpr std::int64_t kMostWords = 128;  // of a lane: more leave no registers
constexpr std::int64_t kUsualWords = 64;  // up to here four warps of a scheduler find room
constexpr std::int64_t kMostWarps = 16;   // of a universe

BatchGrid grid_of(const BatchSpec& spec, std::int64_t per_word, std::int64_t columns,
                  std::int64_t rows, std::int64_t lanes, std::int64_t warps) {
  BatchGrid grid{};
  grid.width = spec.each.width;
  grid.height = spec.each.height;
  grid.words = ceil_div(grid.width, std::int64_t{64});
  grid.universes = spec.universes;
  grid.per_word = static_cast<u32>(per_word);
  grid.columns = static_cast<u32>(columns);
  grid.rows = static_cast<u32>(rows);
  grid.lanes = static_cast<u32>(lanes);
  grid.sets = static_cast<u32>(kLanes / lanes);
  grid.warps = static_cast<u32>(warps);
  const std::int64_t sets = ceil_div(spec.universes, per_word);
  grid.tiles = ceil_div(sets, std::int64_t{grid.sets}) * warps;
  return grid;
}

// Gates of Life, and what else the kernel whole does for a word, in the same unit: the codes of the
// rows above and below, turned ends, rows of other warps and the barrier, loads and stores. Lanes
// that are left over, and multiprocessors without work, make all of it dearer.
double cost_of(const BatchGrid& grid, const DeviceFacts& facts) {
  const double rows = grid.rows, words = grid.columns;
  double cost = 8 + 4 / rows + 2 / words + 8 / (rows * words);
  if (grid.warps > 1) cost += 3 / rows + 1;
  if (rows * words > kUsualWords) cost *= 1.05;
  cost *= 32.0 / (grid.sets * grid.lanes);
  const double wanted = 8.0 * std::max(1, facts.multiprocessors);
  return cost * std::max(1.0, wanted / static_cast<double>(grid.tiles));
}

}  // namespace

std::string BatchShape::packing() const {
  return whole ? fmt::format("universes in registers, {} a word", grid.per_word)
               : "a universe in every bit of a word, one generation a launch";
}

std::int64_t BatchShape::storage() const {
  return grid.tiles * grid.rows * grid.columns * kLanes * std::int64_t{sizeof(u32)};
}

std::optional<BatchShape> whole_shape(const BatchSpec& spec, const Tuning& tuning,
                                      const DeviceFacts& facts) {
  const std::int64_t width = spec.each.width, height = spec.each.height;
  std::optional<BatchShape> best;
  const auto offer = [&](std::int64_t strips, std::int64_t rows, std::int64_t lanes,
                         std::int64_t warps) {
    if ((tuning.rows != 0 && tuning.rows != rows) || (tuning.group != 0 && tuning.group != warps))
      return;
    BatchShape next;
    next.whole = true;
    next.grid = grid_of(spec, 32 / strips, width / strips, rows, lanes, warps);
    next.block = warps > 1 ? static_cast<unsigned>(warps) : 4;
    next.cost = cost_of(next.grid, facts);
    next.tuning.rows = static_cast<int>(rows);
    next.tuning.words = static_cast<int>(width / strips);
    next.tuning.group = static_cast<int>(warps);
    if (!best || next.cost < best->cost) best = next;
  };
  for (std::int64_t strips = 1; strips <= 32; strips *= 2) {
    const std::int64_t words = width / strips;
    if (width % strips != 0 || words > kMostWords) continue;
    for (std::int64_t rows = 1; rows * words <= kMostWords && rows <= height; rows++) {
      if (height % rows != 0) continue;
      const std::int64_t lanes = height / rows;
      if (lanes <= kLanes) offer(strips, rows, lanes, 1);
      if (lanes > kLanes && lanes % kLanes == 0 && lanes / kLanes <= kMostWarps)
        offer(strips, rows, kLanes, lanes / kLanes);
    }
  }
  return best;
}

BatchShape sliced_shape(const BatchSpec& spec) {
  BatchShape shape;
  shape.grid = grid_of(spec, 32, spec.each.width, spec.each.height, 1, 1);
  shape.block = 8;
  return shape;
}

KernelSource batch_source(const BatchShape& shape, const BackendSpec& each) {
  const std::string torus = each.boundary == Boundary::torus ? "1" : "0";
  const std::string rule = each.rule.outer_totalistic()
                               ? rule_header(each.rule)
                               : program_header(state_program(each.rule, ready_program(each.rule)));
  std::vector<std::string> options{"-DTESSERA_TORUS=" + torus};
  const auto option = [&](const char* name, std::int64_t value) {
    options.push_back(fmt::format("-DTESSERA_{}={}", name, value));
  };
  if (!shape.whole) {
    option("ROWS", kSlicedRows);
    return {"sliced.cu", {{"rule.cuh", rule}}, options};
  }
  const BatchGrid& grid = shape.grid;
  const std::int64_t words = std::int64_t{grid.rows} * grid.columns;
  // Warps that the registers of a multiprocessor leave room for.
  const std::int64_t warps = words > kUsualWords ? 8 : words > kUsualWords / 2 ? 16 : 24;
  option("W", grid.columns);
  option("R", grid.rows);
  option("LANES", grid.lanes);
  option("WARPS", grid.warps);
  option("PER_WORD", grid.per_word);
  option("BLOCK_WARPS", shape.block);
  option("BLOCKS", std::max<std::int64_t>(1, warps / shape.block));
  return {"whole.cu", {{"rule.cuh", rule}}, options};
}

}  // namespace tessera::cuda
