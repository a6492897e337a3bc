#include "backends/cuda/batch_shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/cuda/rule_source.h"
#include "backends/gpu/batch_fit.h"
#include "core/rules/rule_tables.h"

namespace tessera::cuda {
namespace {

constexpr std::int64_t kSharedBytes = 48 << 10;  // that every device has

gpu::FitLimits limits_of(const DeviceFacts& facts) {
  gpu::FitLimits limits;
  limits.lanes = kWarpLanes;
  limits.shared_bytes = kSharedBytes;
  // Up to the usual words four warps of a scheduler find room; two each keep it busy.
  limits.wanted_tiles = 8 * std::max(1, facts.multiprocessors);
  return limits;
}

BatchGrid grid_of(const BatchSpec& spec, const gpu::BatchFit& fit) {
  BatchGrid grid{};
  grid.width = spec.each.width;
  grid.height = spec.each.height;
  grid.words = ceil_div(grid.width, std::int64_t{64});
  grid.universes = spec.universes;
  grid.tiles = fit.tiles;
  grid.per_word = static_cast<u32>(fit.per_word);
  grid.columns = static_cast<u32>(fit.columns);
  grid.rows = static_cast<u32>(fit.rows);
  grid.lanes = static_cast<u32>(fit.lanes);
  grid.sets = static_cast<u32>(fit.sets);
  grid.warps = static_cast<u32>(fit.group);
  return grid;
}

}  // namespace

std::string BatchShape::packing() const {
  return whole ? gpu::whole_packing(grid.per_word) : gpu::kSlicedPacking;
}

std::int64_t BatchShape::storage() const {
  return grid.tiles * grid.rows * grid.columns * kWarpLanes * std::int64_t{sizeof(u32)};
}

std::optional<BatchShape> whole_shape(const BatchSpec& spec, const Tuning& tuning,
                                      const DeviceFacts& facts) {
  const auto fit = gpu::best_fit(spec, tuning, limits_of(facts));
  if (!fit) return std::nullopt;
  BatchShape shape;
  shape.whole = true;
  shape.grid = grid_of(spec, *fit);
  shape.block = fit->group > 1 ? static_cast<unsigned>(fit->group) : 4;
  shape.tuning = fit->tuning();
  return shape;
}

BatchShape sliced_shape(const BatchSpec& spec) {
  gpu::BatchFit fit;
  fit.columns = spec.each.width;
  fit.rows = spec.each.height;
  BatchShape shape;
  shape.grid = grid_of(spec, gpu::fit_of(spec, fit, kWarpLanes));
  shape.block = 8;
  return shape;
}

KernelSource batch_source(const BatchShape& shape, const BackendSpec& each) {
  const std::string torus = each.boundary == Boundary::torus ? "1" : "0";
  const std::string rule = ready_header(each);
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
  constexpr std::int64_t kUsual = gpu::FitLimits{}.usual_words;
  // Warps that the registers of a multiprocessor leave room for.
  const std::int64_t warps = words > kUsual ? 8 : words > kUsual / 2 ? 16 : 24;
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
