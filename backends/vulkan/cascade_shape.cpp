#include "backends/vulkan/cascade_shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/vulkan/shaping.h"
#include "core/base/error.h"
#include "core/base/geometry.h"

namespace tessera::vulkan {

namespace {

// Workgroups at work together: on an H200, whose multiprocessors hold two of so many registers.
// Vulkan does not tell how many units a device has.
constexpr std::int64_t kWorkgroups = 264;
// Of a segment on emulated devices, which end loops after some tens of thousands of rounds.
constexpr std::int64_t kRowsSoftware = 48;
constexpr std::int64_t kStart = 8;        // rows of a segment that take as long as its start
constexpr std::int64_t kLeastWidth = 32;  // of a torus: see the kernel
constexpr std::int64_t kMacro = 64;       // columns of a lane
constexpr std::uint32_t kMost = 32;       // generations: the columns of a halo
constexpr std::uint32_t kRound = 2;       // rows

// Windows and segments of a grid.
struct Cut {
  std::int64_t segment_rows = 0;  // even, but for that of a grid of one segment
  std::int64_t groups = 0;        // with work

  // In rows of a workgroup, which takes `more` than the segment's.
  std::int64_t time(std::int64_t more) const {
    return ceil_div(groups, kWorkgroups) * (segment_rows + more);
  }
};

Cut cut(const BackendSpec& spec, std::int64_t lanes, std::int64_t segments) {
  const std::int64_t macros = ceil_div(spec.width, kMacro), owned = lanes - 1;
  const std::int64_t windows = ceil_div(macros, owned);
  Cut out;
  out.segment_rows = kRound * ceil_div(spec.height, kRound * segments);
  const std::int64_t count = ceil_div(spec.height, out.segment_rows);
  const std::int64_t last = macros - (windows - 1) * owned + 1;
  out.groups = (windows - 1) * count + ceil_div(count, lanes / last);
  return out;
}

// The cut that takes the least time.
Cut best_cut(const BackendSpec& spec, std::int64_t lanes, std::int64_t more) {
  Cut best = cut(spec, lanes, 1);
  for (std::int64_t segments = 2; segments <= std::min(spec.height, 4 * kWorkgroups); segments++) {
    const Cut next = cut(spec, lanes, segments);
    if (next.groups > 4 * kWorkgroups) break;
    if (next.time(more) < best.time(more)) best = next;
  }
  return best;
}

// Rows of a workgroup besides those of its segment.
std::int64_t more_rows(const KernelShape& shape) {
  return 2 * std::int64_t{shape.generations} +
         std::int64_t{kRound} * shape.group_size / shape.subgroup_size + kStart;
}

// Of a subgroup: as many as a lane has registers for.
std::uint32_t stages_for(const Gpu& gpu, std::uint32_t bit_planes) {
  if (gpu.software()) return 2;
  if (bit_planes > 12) return 2;
  if (bit_planes > 10) return 3;
  if (bit_planes > 8) return 4;
  return bit_planes > 7 ? 6 : bit_planes > 5 ? 7 : 8;
}

}  // namespace

KernelShape cascade_shape(const Gpu& gpu, const BackendSpec& spec, const Tuning& tuning) {
  KernelShape shape;
  shape.kernel = "cascade";
  if (spec.odd_rule) cannot(gpu, shape, "two rules in turns are not for it");
  if (spec.boundary == Boundary::torus && spec.width < kLeastWidth) {
    cannot(
        gpu, shape,
        fmt::format("a torus of {} columns is too narrow; it needs {}", spec.width, kLeastWidth));
  }
  set_planes(spec, shape);
  use_subgroups(gpu, shape, tuning.group, gpu.software() ? 2 : 4);
  const std::uint32_t subgroups = shape.tiles_per_group;
  shape.tiles_per_group = 1;
  shape.stages = stages_for(gpu, shape.bit_planes);
  if (tuning.generations > 0) {
    shape.stages = static_cast<std::uint32_t>(tuning.generations) / subgroups;
    if (shape.stages * subgroups != static_cast<std::uint32_t>(tuning.generations) ||
        shape.stages == 0) {
      cannot(gpu, shape,
             fmt::format("{} generations are not the same for each of {} subgroups",
                         tuning.generations, subgroups));
    }
  }
  shape.generations = shape.stages * subgroups;
  if (shape.generations > kMost) {
    cannot(gpu, shape,
           fmt::format("{} generations per launch; at most {}", shape.generations, kMost));
  }
  const std::uint32_t bytes =
      8 * (shape.group_size + 2 * shape.subgroup_size) * kRound * shape.bit_planes;
  if (bytes > gpu.max_group_memory) {
    cannot(
        gpu, shape,
        fmt::format("the rows that subgroups hand on take {} bytes of shared memory; there are {}",
                    bytes, gpu.max_group_memory));
  }
  shape.one_chunk = true;
  shape.margin = 0;
  shape.halo_rows = 0;
  shape.words = 2;
  constexpr std::int64_t kLine = 32;  // words of a cache line, of which rows have an odd number:
                                      // lest they fall on the same sets of the cache
  shape.row_words =
      static_cast<std::uint32_t>((ceil_div(2 * ceil_div(spec.width, kMacro), kLine) | 1) * kLine);
  const std::int64_t lanes = shape.subgroup_size;
  shape.tile_columns = kMacro * (lanes - 1);
  shape.tile_rows = gpu.software() ? std::min(spec.height, kRowsSoftware)
                                   : best_cut(spec, lanes, more_rows(shape)).segment_rows;
  shape.sums = gpu.software() || gpu.multiplies_beside_logic ? TESSERA_SUM_PROGRAM : 0;
  shape.tuning = {static_cast<int>(shape.generations), 0, 0, static_cast<int>(subgroups), 0};
  return shape;
}

bool cascade_suits(const Gpu& gpu, const BackendSpec& spec) {
  const bool takes = spec.rule.states() > 2 && !spec.rule.ranged() && !spec.rule.from_file() &&
                     !spec.odd_rule && spec.plain_edges() && !spec.tiles && spec.halo_rows == 0;
  if (!takes || !gpu.multiplies_beside_logic || gpu.subgroup_size != 32) return false;
  // Measured on an H200 alone: the part of its time for which lanes step cells of the grid, from
  // which it is faster than strips. Of few planes those can step large tiles.
  KernelShape planes;
  set_planes(spec, planes);
  if (planes.bit_planes < 4) return false;
  try {
    const KernelShape shape = cascade_shape(gpu, spec, {});
    const std::int64_t time = best_cut(spec, 32, more_rows(shape)).time(more_rows(shape));
    const double useful = spec.cells() / static_cast<double>(time * kWorkgroups * 32 * kMacro);
    return useful >= (planes.bit_planes > 4 ? 0.55 : 0.74);
  } catch (const UnsupportedError&) {
    return false;
  }
}

}  // namespace tessera::vulkan
