#include "backends/vulkan/shaping.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "core/base/error.h"
#include "core/rules/state_program.h"

namespace tessera::vulkan {

namespace {

constexpr std::uint32_t round_up(std::uint32_t n, std::uint32_t to) {
  return (n + to - 1) / to * to;
}

}  // namespace

void set_planes(const BackendSpec& spec, KernelShape& shape) {
  if (spec.rule.states() == 2) return;
  const std::vector<std::uint16_t> codes = state_codes(spec.rule);
  shape.bit_planes = static_cast<std::uint32_t>(std::bit_width(*std::ranges::max_element(codes)));
  shape.state_planes = static_cast<std::uint32_t>(spec.rule.planes());
}

void cannot(const Gpu& gpu, const KernelShape& shape, const std::string& reason) {
  throw UnsupportedError(fmt::format("vulkan: {}: kernel {}: {}", gpu.name, shape.kernel, reason));
}

std::uint32_t rows_for(int asked, std::uint32_t own_choice, std::uint32_t lanes,
                       std::uint32_t generations) {
  if (asked > 0) return static_cast<std::uint32_t>(asked);
  std::uint32_t rows = own_choice;
  while (rows < 12 && lanes * rows <= 2 * round_up(generations, 4)) rows = rows / 4 * 4 + 4;
  return rows;
}

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

}  // namespace tessera::vulkan
