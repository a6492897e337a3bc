#include "backends/vulkan/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "backends/vulkan/spelled_gate.h"
#include "core/base/error.h"
#include "core/base/geometry.h"
#include "core/rules/rule_circuit.h"

namespace tessera::vulkan {

namespace {

std::uint32_t or_else(int asked, std::uint32_t own_choice) {
  return asked > 0 ? static_cast<std::uint32_t>(asked) : own_choice;
}

constexpr std::uint32_t round_up(std::uint32_t n, std::uint32_t to) {
  return (n + to - 1) / to * to;
}

// Rows that one memory access moves in strips.
std::uint32_t access_rows(std::uint32_t rows) { return rows % 4 == 0 ? 4 : rows % 2 == 0 ? 2 : 1; }

[[noreturn]] void cannot(const Gpu& gpu, const KernelShape& shape, const std::string& reason) {
  throw UnsupportedError(fmt::format("vulkan: {}: kernel {}: {}", gpu.name, shape.kernel, reason));
}

// Rows per lane: as asked, or from `own_choice` on the first of 4, 8, 12 with which `lanes` lanes
// hold the halos of `generations`.
std::uint32_t rows_for(int asked, std::uint32_t own_choice, std::uint32_t lanes,
                       std::uint32_t generations) {
  if (asked > 0) return static_cast<std::uint32_t>(asked);
  std::uint32_t rows = own_choice;
  while (rows < 12 && lanes * rows <= 2 * round_up(generations, 4)) rows = rows / 4 * 4 + 4;
  return rows;
}

// Sets T and the margins of a tile of `height` rows: `wanted` generations, or fewer where the halos
// would leave no rows between them. `tuning` reports the result.
void set_generations(const Gpu& gpu, KernelShape& shape, std::uint32_t height,
                     std::uint32_t wanted) {
  // Whole accesses of margin, and whole lanes between the margins where a column is stored in
  // planes.
  const std::uint32_t lane = shape.access * shape.planes;
  const std::uint32_t most_margin =
      height < lane + 2 ? 0 : (height - lane) / 2 / shape.access * shape.access;
  if (most_margin == 0)
    cannot(gpu, shape, fmt::format("a tile of {} rows has no room for halos", height));
  shape.generations = std::min(wanted, most_margin);
  shape.margin = round_up(shape.generations, shape.access);
  shape.tile_rows = (height - 2 * shape.margin) / lane * lane;
  shape.halo_rows = height - shape.tile_rows;
}

void use_subgroups(const Gpu& gpu, KernelShape& shape, int group, std::uint32_t own_choice) {
  shape.subgroup_size = gpu.subgroup_size;
  const std::uint32_t most = std::min(gpu.max_group_size / gpu.subgroup_size, gpu.max_subgroups);
  shape.tiles_per_group = or_else(group, std::min(own_choice, most));
  if (shape.tiles_per_group > most) {
    cannot(gpu, shape,
           fmt::format("group={} subgroups per workgroup; this device has at most {}",
                       shape.tiles_per_group, most));
  }
  shape.group_size = shape.tiles_per_group * shape.subgroup_size;
}

void shape_word(const Gpu& gpu, KernelShape& shape) {
  shape.group_size = std::min(128u, gpu.max_group_size);
  shape.tile_rows = shape.group_size;
}

void shape_shared(const Gpu& gpu, const Tuning& tuning, KernelShape& shape) {
  shape.group_size = std::min(128u, gpu.max_group_size);
  shape.tile_words = or_else(tuning.words, 8);
  const std::uint32_t lanes = shape.group_size / shape.tile_words,
                      wanted = or_else(tuning.generations, 8);
  shape.rows = rows_for(tuning.rows, 4, lanes, wanted);
  shape.tile_columns = std::int64_t{shape.tile_words - 2} * 32;
  const std::uint32_t bytes = lanes * shape.rows * shape.tile_words * 4;
  if (bytes > gpu.max_group_memory) {
    cannot(gpu, shape,
           fmt::format("a tile takes {} bytes of shared memory; there are {}", bytes,
                       gpu.max_group_memory));
  }
  set_generations(gpu, shape, lanes * shape.rows, wanted);
}

void shape_subgroup(const Gpu& gpu, const Tuning& tuning, KernelShape& shape) {
  use_subgroups(gpu, shape, tuning.group, 4);
  const std::uint32_t wanted = or_else(tuning.generations, gpu.software()           ? 4
                                                           : gpu.subgroup_size < 32 ? 8
                                                                                    : 12);
  shape.tile_words = or_else(tuning.words, gpu.software() ? 4 : 6);
  shape.rows = rows_for(tuning.rows, 4, gpu.subgroup_size, wanted);
  shape.tile_columns = std::int64_t{shape.tile_words - 2} * 32;
  set_generations(gpu, shape, gpu.subgroup_size * shape.rows, wanted);
}

// What strips chooses for itself; see README.md.
struct OwnShape {
  std::uint32_t words, rows, generations, group;
  std::uint32_t overlap = 0;  // 0: see share_tile
};

// Software devices compile every shape with a CPU's compiler, which takes longer for larger tiles.
// NVIDIA devices get the fastest shapes on an H100: large tiles waste least in halos, small ones
// keep more of the device busy, and more generations per launch save launches. Long circuits need
// registers.
OwnShape own_shape(const Gpu& gpu, const BackendSpec& spec) {
  if (gpu.software()) return {3, 2, 4, 4};
  const double cells = static_cast<double>(spec.width) * static_cast<double>(spec.height);
  const auto at_least = [&](int power) { return cells >= std::ldexp(1.0, power); };
  if (gpu.subgroup_size < 32) return {8, 8, 8, 4};
  if (!gpu.multiplies_beside_logic)
    return {8, 4, 8, 4};  // moderate: the number of registers is unknown
  if (at_least(31)) return {8, 8, 8, 4};
  if (spec.rule != kLife && at_least(25)) return {14, 4, 14, 4};
  if (at_least(27)) return {12, 6, 24, 4};
  if (at_least(25)) return {14, 6, 24, 4};
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
std::uint32_t sums_for(const Gpu& gpu, const Rule& rule) {
  if (gpu.software()) return 0x05 | TESSERA_SUM_T0 | TESSERA_SUM_U0;
  if (!gpu.multiplies_beside_logic) return 0;
  return rule == kLife ? 0x55 : TESSERA_SUM_T0 | TESSERA_SUM_U0;
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
  shape.all_give = shape.words * shape.rows <= 16;
  const std::uint32_t slots = shape.all_give
                                  ? shape.group_size
                                  : 2 * shape.overlap * (shape.group_size / gpu.subgroup_size) + 1;
  const std::uint32_t bytes = 2 * 4 * shape.words * shape.rows * slots;
  if (bytes > gpu.max_group_memory) {
    cannot(gpu, shape,
           fmt::format("the rows that subgroups exchange take {} bytes of shared memory; there "
                       "are {}",
                       bytes, gpu.max_group_memory));
  }
}

void shape_strips(const Gpu& gpu, const BackendSpec& spec, const Tuning& tuning,
                  KernelShape& shape) {
  const OwnShape own = own_shape(gpu, spec);
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
  shape.sums = sums_for(gpu, spec.rule);
}

}  // namespace

std::vector<KernelInfo> kernel_infos() {
  using Values = std::vector<int>;
  const auto generations = [](Values values) -> TuningParameter {
    return {&Tuning::generations, "generations", "generations per launch", std::move(values)};
  };
  const auto rows_per_lane = [](Values values) -> TuningParameter {
    return {&Tuning::rows, "rows", "rows of a tile per lane", std::move(values)};
  };
  const auto tile_words = [](Values values) -> TuningParameter {
    return {&Tuning::words, "words", "words per row of a tile, halos included", std::move(values)};
  };
  return {
      {"strips",
       "register tiles of strips: neighbours without shifts, row codes by subgroup shuffles, T "
       "generations per launch",
       {generations({2, 4, 8, 12, 14, 16, 20, 24, 28, 32, 40}),
        rows_per_lane({1, 2, 3, 4, 6, 8, 12}),
        {&Tuning::words, "words", "words per row of a tile", {2, 3, 4, 5, 6, 8, 10, 12, 14, 16}},
        {&Tuning::group,
         "subgroups",
         "subgroups per workgroup, which share a tile",
         {1, 2, 4, 8}}}},
      {"subgroup",
       "register tiles of column-major 32-bit words, row codes by subgroup shuffles (the "
       "counterpart of CUDA's warp)",
       {generations({1, 2, 4, 8, 12, 16}),
        rows_per_lane({4, 8, 12}),
        tile_words({3, 4, 6, 8}),
        {&Tuning::group,
         "subgroups",
         "subgroups per workgroup, each with its own tile",
         {1, 2, 4, 8}}}},
      {"shared",
       "tiles of 32-bit words in workgroup memory, T generations per launch (Fujita et al. 2015, "
       "section VI)",
       {generations({1, 2, 4, 8, 12, 16}),
        {&Tuning::rows, "rows", "rows of a tile per invocation", {2, 4, 8}},
        tile_words({4, 8, 16})}},
      {"word",
       "one 32-bit word per invocation, one generation per launch, no subgroups needed",
       {}},
  };
}

std::string default_kernel(const Gpu& gpu) {
  for (const KernelInfo& info : kernel_infos()) {
    if (!missing_for(gpu, info.name)) return info.name;
  }
  return "word";
}

std::optional<std::string> missing_for(const Gpu& gpu, const std::string& kernel) {
  if (!gpu.missing.empty()) return "vulkan: " + gpu.name + ": " + gpu.missing;
  std::string names;
  for (const KernelInfo& info : kernel_infos()) {
    names += (names.empty() ? "" : ", ") + info.name;
    if (info.name != kernel) continue;
    const bool needs_shuffles = kernel == "strips" || kernel == "subgroup";
    if (!needs_shuffles) return std::nullopt;
    if (!gpu.shuffles) {
      return fmt::format(
          "vulkan: {}: kernel {} needs subgroups with shuffle-relative in compute shaders; the "
          "device "
          "has {}",
          gpu.name, kernel, gpu.subgroup_size == 0 ? "no subgroups there" : "subgroups without it");
    }
    if (gpu.subgroup_size < 4 || gpu.subgroup_size > 64) {
      return fmt::format(
          "vulkan: {}: kernel {} needs subgroups of 4 to 64 invocations; the device has {}",
          gpu.name, kernel, gpu.subgroup_size);
    }
    return std::nullopt;
  }
  return "the vulkan backend has no kernel '" + kernel + "'; it has " + names;
}

KernelShape choose_shape(const Gpu& gpu, const std::string& kernel, const BackendSpec& spec,
                         const Tuning& tuning) {
  KernelShape shape;
  shape.kernel = kernel;
  if (kernel == "word") {
    shape_word(gpu, shape);
  } else if (kernel == "shared") {
    shape_shared(gpu, tuning, shape);
  } else if (kernel == "subgroup") {
    shape_subgroup(gpu, tuning, shape);
  } else {
    shape_strips(gpu, spec, tuning, shape);
  }
  const bool plain = kernel != "strips";
  if (kernel != "word") {
    shape.tuning.generations = static_cast<int>(shape.generations);
    shape.tuning.rows = static_cast<int>(shape.rows);
    shape.tuning.words = static_cast<int>(plain ? shape.tile_words : shape.words);
    if (shape.subgroup_size > 0)
      shape.tuning.group = static_cast<int>(shape.group_size / shape.subgroup_size);
  }
  return shape;
}

void KernelShape::specialize_layout(Specialization& values) const {
  values[TESSERA_SPEC_WORDS] = words;
  values[TESSERA_SPEC_BITS] = bits;
  values[TESSERA_SPEC_MARGIN] = margin;
  values[TESSERA_SPEC_ACCESS] = access;
  values[TESSERA_SPEC_PLANES] = planes;
}

Specialization KernelShape::specialization(const BackendSpec& spec, bool cut) const {
  const Rule& rule = spec.rule;
  Specialization values{};
  specialize_layout(values);
  values[TESSERA_SPEC_GROUP_SIZE] = group_size;
  values[TESSERA_SPEC_SUBGROUP_SIZE] = subgroup_size;
  values[TESSERA_SPEC_ROWS] = rows;
  values[TESSERA_SPEC_TILE_WORDS] = tile_words;
  values[TESSERA_SPEC_PLANE] = spec.boundary == Boundary::plane;
  values[TESSERA_SPEC_CUT] = cut;
  values[TESSERA_SPEC_THIN] = bits < 32 && spec.width < words && spec.boundary == Boundary::torus;
  values[TESSERA_SPEC_SUMS] = sums;
  values[TESSERA_SPEC_OVERLAP] = overlap;
  values[TESSERA_SPEC_ALL_GIVE] = all_give;
  values[TESSERA_SPEC_LIFE] = rule == kLife;
  if (rule == kLife) return values;
  const RuleCircuit circuit = find_rule_circuit(rule);
  values[TESSERA_SPEC_GATES] = static_cast<std::uint32_t>(circuit.gates.size());
  for (std::size_t i = 0; i < circuit.gates.size(); i++) {
    values[TESSERA_SPEC_GATE + i] = spelled_gate(circuit.gates[i]);
  }
  return values;
}

}  // namespace tessera::vulkan
