#include "backends/vulkan/chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/geometry.h"
#include "core/cells/bit_grid.h"

namespace tessera::vulkan {

namespace {

// Shaders index words and columns of a chunk with 32-bit numbers, some of them signed.
constexpr std::int64_t kMostWords = std::int64_t{1} << 30;
constexpr std::int64_t kMostRows = std::int64_t{1} << 29;
constexpr std::int64_t kMostColumns = std::int64_t{1} << 30;
constexpr std::int64_t kMostChunks = 4096;
constexpr std::int64_t kMostTiles = std::int64_t{1} << 31;  // of a dispatch
// Of a macro-column's entry in addressed.glsl and sums.comp.
constexpr std::int64_t kColumnBytes = 16;
// Macro-columns whose tiles are taken row by row: 16 were the fastest of 16 to 1093 on an H100.
constexpr std::int64_t kStripe = 16;
// Of a grid that is stepped by addresses though it fits a binding: stripes pay from here on, but
// for cells of many planes.
constexpr double kAddressedCells = 0x1p31;
constexpr int kAddressedPlanes = 2;
constexpr std::int64_t kLeastMacros =
    4;  // of a chunk: more than a halo, and three for a deep one of strips
constexpr std::int64_t kPairGap = 1 << 16;  // at most, between two buffers of one binding
constexpr std::int64_t kLine = 32;          // words of a cache line: planes begin with one
constexpr std::int64_t kTransferBytes = 32 << 20;
constexpr std::int64_t kLeastTransferBytes = 1 << 20;

// Many passes in one dispatch, where the two generations fit one binding, the kernel needs no help
// between passes, and rows of tiles are more than a tile reads.
void chain(const BackendSpec& spec, const KernelShape& shape, std::int64_t largest,
           GridPlan& plan) {
  if (spec.boundary == Boundary::torus && !writes_margins(spec, shape)) return;
  if (2 * plan.chunks[0].bytes + kPairGap > largest) return;
  // A margin's rows are those of the last tiles, of which the last may have few.
  const std::int64_t last = spec.height - (plan.row_tiles - 1) * shape.tile_rows;
  const std::int64_t reach =
      ceil_div(std::int64_t{shape.margin}, shape.tile_rows) + (last < shape.margin ? 1 : 0);
  if (plan.row_tiles < 2 * reach + 1) return;
  plan.reach = reach;
  plan.turns = 4 * (TESSERA_TURNS_COMPLETED + plan.row_tiles);
  plan.bytes += plan.turns + kPairGap;
}

}  // namespace

bool writes_margins(const BackendSpec& spec, const KernelShape& shape) {
  return spec.boundary == Boundary::torus && spec.height >= 2 * shape.margin + shape.rows;
}

std::int64_t first_byte(const GridPlan& plan, const KernelShape& shape) {
  return 4 * plan.stride * shape.before;
}

std::int64_t largest_chunk(const Gpu& gpu) {
  return std::min({gpu.max_buffer_range, gpu.max_allocation, kMostWords * 4});
}

std::optional<std::string> size_problem(const BackendSpec& spec) {
  if (BitGrid::bytes(spec.width, spec.height) && spec.height <= kMostRows) return {};
  return fmt::format(
      "a grid of {}x{} cells is too large: up to {} rows and 2^46 bytes are supported", spec.width,
      spec.height, kMostRows);
}

GridPlan plan_grid(const BackendSpec& spec, const KernelShape& shape, std::int64_t largest,
                   bool addresses) {
  GridPlan plan;
  const std::string size = fmt::format("{}x{}", spec.width, spec.height);
  if (const std::optional<std::string> problem = size_problem(spec)) {
    plan.problem = *problem;
    return plan;
  }
  const std::int64_t canonical = *BitGrid::bytes(spec.width, spec.height);
  plan.row_tiles = ceil_div(spec.height, shape.tile_rows);
  // The last tile may look beyond the lower margin.
  const std::int64_t rows = plan.row_tiles * shape.tile_rows + shape.halo_rows;
  plan.stride = ceil_div(rows, kLine * shape.planes) * kLine * shape.planes;
  const std::int64_t macro_bytes =
      plan.stride * (shape.words + shape.before + shape.behind) * 4 * shape.bit_planes;
  const std::int64_t macros = ceil_div(spec.width, shape.macro());

  // Chunks end at multiples of 64 cells, so that no canonical word lies in two, and none is too
  // narrow for the kernels.
  const std::int64_t whole = std::lcm(shape.macro(), std::int64_t{64}) / shape.macro();
  const std::int64_t step = ceil_div(kLeastMacros, whole) * whole;
  std::int64_t most = std::min(largest / macro_bytes, kMostColumns / shape.macro());
  if (most < macros) most = most / (2 * step) * (2 * step);
  const std::int64_t least = shape.one_chunk ? macros : std::min(2 * step, macros);
  if (most < least) {
    plan.bytes = 2 * macro_bytes * macros;
    plan.problem = fmt::format(
        "a grid of {} cells needs buffers of {} bytes with kernel {}; the device's are at most "
        "{} bytes",
        size, macro_bytes * least, shape.kernel, largest);
    return plan;
  }
  const std::int64_t count = ceil_div(macros, most);
  if (count > kMostChunks) {
    plan.problem =
        fmt::format("a grid of {} cells takes {} buffers of {} bytes; at most {} are supported",
                    size, count, largest, kMostChunks);
    return plan;
  }
  const std::int64_t each = count == 1 ? macros : most;
  for (std::int64_t first = 0; first < macros;) {
    // The last chunk must be wider than any halo, so the one before it gives half of its own.
    const std::int64_t left = macros - first;
    const std::int64_t take = left > each && left < each + step ? each / 2 : std::min(each, left);
    ChunkPlan chunk;
    chunk.x = first * shape.macro();
    chunk.width = std::min(take * shape.macro(), spec.width - chunk.x);
    chunk.bytes = take * macro_bytes;
    plan.chunks.push_back(chunk);
    plan.bytes += 2 * chunk.bytes;
    first += take;
  }
  const double cells = spec.cells();
  const bool large = cells >= kAddressedCells && shape.bit_planes <= kAddressedPlanes;
  const bool pays = shape.kernel == "sums" || (shape.kernel == "strips" && (count > 1 || large));
  if (addresses && pays &&
      macros <= std::min(kMostTiles / plan.row_tiles, largest / kColumnBytes)) {
    plan.addressed = true;
    plan.columns = macros * kColumnBytes;
    plan.stripe = std::min(kStripe, macros);
    plan.bytes += 2 * plan.columns;
  }
  if (shape.chained && count == 1 && !plan.addressed) chain(spec, shape, largest, plan);
  plan.transfer =
      std::clamp(std::min(ceil_div(canonical, 16) * 16, kTransferBytes) * shape.state_planes,
                 kLeastTransferBytes, kTransferBytes);
  if (shape.bit_planes > 1)
    plan.tables =
        4 * ((std::int64_t{1} << shape.state_planes) + (std::int64_t{1} << shape.bit_planes));
  plan.places = 4 * shape.places;
  plan.bytes += plan.transfer + plan.tables + plan.places + shape.notes;
  return plan;
}

}  // namespace tessera::vulkan
