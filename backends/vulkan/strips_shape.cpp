#include "backends/vulkan/strips_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "backends/vulkan/shaping.h"
#include "core/base/error.h"
#include "core/rules/rule_compiler.h"
#include "core/rules/rule_tables.h"

namespace tessera::vulkan {

namespace {

// Rows that one memory access moves in strips.
std::uint32_t access_rows(std::uint32_t rows) { return rows % 4 == 0 ? 4 : rows % 2 == 0 ? 2 : 1; }

// What strips chooses for itself; see README.md.
struct OwnShape {
  std::uint32_t words, rows, generations, group;
  std::uint32_t overlap = 0;  // 0: see share_tile
};

// Whether many passes shall be one dispatch (shaders/chained.glsl). That pays where tiles are more
// than fit the device at once, and so do not wait for each other: on an H100 from 2^25 cells on.
// From 2^31 on grids are stepped by addresses. It was measured on NVIDIA's devices alone; emulated
// ones do it for the tests.
bool chains(const Gpu& gpu, const BackendSpec& spec) {
  const double cells = spec.cells();
  if (gpu.software()) return cells >= 0x1p14;
  return gpu.multiplies_beside_logic && cells >= 0x1p25 && cells < 0x1p31;
}
// Of a cell's code, in chained passes: more need more registers than a lane has.
constexpr std::uint32_t kMostChainedPlanes = 7;

int gates_of(const Rule& rule) { return first_program(neighbourhood_table(rule)).cost(); }

// Long programs need registers and room for their code, and so do those of several planes, of which
// a lane holds 72 words at most (80 of ten planes): their tiles stand alone, because sharing rows
// would move all of these through shared memory.
OwnShape shape_of_program(const Gpu& gpu, const BackendSpec& spec, std::uint32_t bit_planes) {
  if (chains(gpu, spec) && bit_planes <= kMostChainedPlanes) {
    if (bit_planes > 3) return {4, 4, 12, 1};
    if (bit_planes > 1) return {6, 4, 12, 1};
  }
  if (bit_planes > 6) return {2, 4, 8, 1};
  if (bit_planes > 4) return {3, 4, 8, 1};
  if (bit_planes > 2) return {4, 4, 8, 1};
  if (bit_planes > 1) return {8, 4, 8, 1};
  // A search makes it shorter by a third.
  const int first = std::max(gates_of(spec.rule), spec.odd_rule ? gates_of(*spec.odd_rule) : 0);
  if (first <= 30 && chains(gpu, spec) && spec.cells() >= 0x1p26)
    return {8, spec.cells() >= 0x1p27 ? 8u : 4u, 8, 1};
  if (first <= 30) return {8, 4, 8, 4};
  return {4, 4, 4, 4};
}

// Software devices compile every shape with a CPU's compiler, which takes longer for larger tiles.
// NVIDIA devices get the fastest shapes on an H100: large tiles waste least in halos, small ones
// keep more of the device busy, and more generations per launch save launches. Long circuits need
// registers.
OwnShape own_shape(const Gpu& gpu, const BackendSpec& spec, std::uint32_t bit_planes) {
  if (gpu.software()) return {3, 2, 4, 4};
  if (!has_one_circuit(spec)) return shape_of_program(gpu, spec, bit_planes);
  const double cells = spec.cells();
  const auto at_least = [&](int power) { return cells >= std::ldexp(1.0, power); };
  if (gpu.subgroup_size < 32) return {8, 8, 8, 4};
  if (!gpu.multiplies_beside_logic)
    return {8, 4, 8, 4};  // moderate: the number of registers is unknown
  if (at_least(31)) return {8, 8, 8, 4};
  if (spec.rule != kLife && at_least(27)) return {8, 8, 8, 1};
  if (at_least(25) && (spec.rule != kLife || spec.boundary == Boundary::plane))
    return {10, 8, 10, 1};
  if (at_least(26)) return {12, 8, 12, 1};
  if (at_least(23)) return {14, 4, 28, 4, 4};
  if (at_least(21)) return {4, 4, 24, 4};
  return {5, 2, 40, 4};
}

constexpr std::uint32_t kMostHaloBits = 8;

// M for T generations with W words. A deep halo may be cut between two macro-columns. The kernel
// joins its parts where there are three macro-columns; narrower grids have halos of W columns.
std::uint32_t halo_bits(const BackendSpec& spec, std::uint32_t words, std::uint32_t generations) {
  const std::uint32_t bits = std::min((generations + words - 1) / words, kMostHaloBits);
  return spec.width > 2 * std::int64_t{32 - 2 * bits} * words ? bits : 1;
}

// The parities that are computed as sums: not all, so that neither logic nor multipliers wait; see
// README.md. Emulated devices gain nothing from it and use some of each kind for the tests.
std::uint32_t sums_for(const Gpu& gpu, const BackendSpec& spec) {
  if (!has_one_circuit(spec)) {
    return gpu.software() || gpu.multiplies_beside_logic ? TESSERA_SUM_PROGRAM : 0;
  }
  if (gpu.software()) return 0x05 | TESSERA_SUM_T0 | TESSERA_SUM_U0;
  if (!gpu.multiplies_beside_logic) return 0;
  return spec.rule == kLife ? 0x55 : TESSERA_SUM_T0 | TESSERA_SUM_U0;
}

// Joins a workgroup's subgroups into one tile. Copies that last for a quarter of a launch cost few
// rows and little time, unless something better is known.
void share_tile(const Gpu& gpu, const OwnShape& own, KernelShape& shape,
                std::uint32_t generations) {
  const bool known = own.overlap > 0 && shape.rows == own.rows && generations == own.generations;
  const std::uint32_t quarter = (generations + 4 * shape.rows - 1) / (4 * shape.rows);
  const std::uint32_t overlap =
      std::clamp(known ? own.overlap : quarter, 1u, gpu.subgroup_size / 4);
  if (overlap * shape.rows >= generations) return;  // separate tiles lose as many rows
  shape.overlap = overlap;
  shape.tiles_per_group = 1;
  // Small tiles suffer from waiting for an exchange; large ones would need much memory.
  const std::uint32_t words = shape.words * shape.rows * shape.bit_planes;
  shape.all_give = words <= 16;
  const std::uint32_t slots = shape.all_give
                                  ? shape.group_size
                                  : 2 * shape.overlap * (shape.group_size / gpu.subgroup_size) + 1;
  const std::uint32_t bytes = 2 * 4 * words * slots;
  if (bytes > gpu.max_group_memory) {
    cannot(gpu, shape,
           fmt::format("the rows that subgroups exchange take {} bytes of shared memory; there "
                       "are {}",
                       bytes, gpu.max_group_memory));
  }
}

}  // namespace

KernelShape strips_shape(const Gpu& gpu, const BackendSpec& spec, const Tuning& tuning) {
  KernelShape shape;
  shape.kernel = "strips";
  if (spec.odd_rule && (spec.rule.states() > 2 || spec.odd_rule->states() > 2)) {
    throw UnsupportedError(
        "vulkan: the kernel strips steps two rules in turns where both have two "
        "states");
  }
  set_planes(spec, shape);
  const OwnShape own = own_shape(gpu, spec, shape.bit_planes);
  use_subgroups(gpu, shape, tuning.group, own.group);
  shape.words = or_else(tuning.words, own.words);
  const std::uint32_t asked = or_else(tuning.generations, own.generations);
  std::uint32_t halo = halo_bits(spec, shape.words, asked);
  const std::uint32_t wanted = std::min(asked, halo * shape.words);
  const std::uint32_t subgroups = shape.tiles_per_group;
  shape.rows = rows_for(tuning.rows, own.rows, gpu.subgroup_size * (subgroups + 1) / 2, wanted);
  if (subgroups > 1) share_tile(gpu, own, shape, wanted);
  shape.access = access_rows(shape.rows);
  shape.planes = shape.rows / shape.access;
  const std::uint32_t common = 2 * shape.overlap;
  const std::uint32_t lanes =
      shape.overlap == 0 ? gpu.subgroup_size : subgroups * (gpu.subgroup_size - common) + common;
  set_generations(gpu, shape, lanes * shape.rows, wanted);
  // The rows may hold fewer generations than were asked for.
  const std::uint32_t enough = halo_bits(spec, shape.words, shape.generations);
  if (enough * shape.words >= shape.generations) halo = enough;
  // What was asked for by name is never replaced silently.
  if (tuning.generations > 0 && shape.generations != asked) {
    cannot(
        gpu, shape,
        fmt::format(
            "{} generations per launch, {} rows and {} words: at most {} on a grid {} cells wide",
            asked, shape.rows, shape.words, shape.generations, spec.width));
  }
  shape.bits = 32 - 2 * halo;
  shape.tile_columns = shape.macro();
  shape.sums = sums_for(gpu, spec);
  shape.chained = chains(gpu, spec) && shape.tiles_per_group == 1;
  shape.tuning = {static_cast<int>(shape.generations), static_cast<int>(shape.rows),
                  static_cast<int>(shape.words), static_cast<int>(subgroups), 0};
  return shape;
}

}  // namespace tessera::vulkan
