#include "backends/vulkan/plain_shapes.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/vulkan/shaping.h"
#include "backends/vulkan/vulkan_table.h"

namespace tessera::vulkan {

KernelShape subgroup_shape(const Gpu& gpu, const BackendSpec& /*spec*/, const Tuning& tuning) {
  KernelShape shape;
  shape.kernel = "subgroup";
  use_subgroups(gpu, shape, tuning.group, 4);
  const std::uint32_t wanted = or_else(tuning.generations, gpu.software()           ? 4
                                                           : gpu.subgroup_size < 32 ? 8
                                                                                    : 12);
  shape.tile_words = or_else(tuning.words, gpu.software() ? 4 : 6);
  shape.rows = rows_for(tuning.rows, 4, gpu.subgroup_size, wanted);
  shape.tile_columns = std::int64_t{shape.tile_words - 2} * 32;
  set_generations(gpu, shape, gpu.subgroup_size * shape.rows, wanted);
  shape.tuning = {static_cast<int>(shape.generations), static_cast<int>(shape.rows),
                  static_cast<int>(shape.tile_words), static_cast<int>(shape.tiles_per_group), 0};
  return shape;
}

KernelShape shared_shape(const Gpu& gpu, const BackendSpec& /*spec*/, const Tuning& tuning) {
  KernelShape shape;
  shape.kernel = "shared";
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
  shape.tuning = {static_cast<int>(shape.generations), static_cast<int>(shape.rows),
                  static_cast<int>(shape.tile_words), 0, 0};
  return shape;
}

KernelShape word_shape(const Gpu& gpu, const BackendSpec& /*spec*/, const Tuning& /*tuning*/) {
  KernelShape shape;
  shape.kernel = "word";
  shape.group_size = std::min(128u, gpu.max_group_size);
  shape.tile_rows = shape.group_size;
  return shape;
}

KernelShape table_shape(const Gpu& gpu, const BackendSpec& spec, const Tuning& /*tuning*/) {
  KernelShape shape;
  shape.kernel = "table";
  shape.group_size = std::min(128u, gpu.max_group_size);
  shape.tiles_per_group = shape.group_size;
  shape.one_chunk = true;
  shape.notes = VulkanTable::bytes_needed();
  set_planes(spec, shape);
  return shape;
}

}  // namespace tessera::vulkan
