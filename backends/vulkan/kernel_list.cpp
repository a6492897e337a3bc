#include "backends/vulkan/kernel_list.h"

#include <fmt/format.h>

#include <utility>

#include "backends/gpu/table_kernel.h"
#include "backends/vulkan/plain_shapes.h"
#include "backends/vulkan/strips_shape.h"
#include "backends/vulkan/sums_shape.h"
#include "core/base/error.h"

namespace tessera::vulkan {

namespace {

/// What a device must have besides shared memory.
enum class Needs { nothing, shuffles };

struct VulkanKernel {
  KernelInfo info;
  Needs needs;
  KernelShape (*shape)(const Gpu& gpu, const BackendSpec& spec, const Tuning& tuning);
};

using Values = std::vector<int>;

TuningParameter generations(Values values) {
  return {&Tuning::generations, "generations", "generations per launch", std::move(values)};
}

TuningParameter rows_per_lane(Values values) {
  return {&Tuning::rows, "rows", "rows of a tile per lane", std::move(values)};
}

TuningParameter tile_words(Values values) {
  return {&Tuning::words, "words", "words per row of a tile, halos included", std::move(values)};
}

KernelInfo sums_info() {
  KernelInfo info{
      "sums",
      "rules of longer range: counts that run along rows of strips, bit-sliced, one generation per "
      "launch",
      {{&Tuning::rows, "rows", "rows that an invocation takes", {4, 8}},
       {&Tuning::words, "words", "words that an invocation walks along a row", {}, 1, 1 << 20}}};
  info.ranges = true;
  info.near = false;
  return info;
}

const std::vector<VulkanKernel>& kernels() {
  static const std::vector<VulkanKernel> kAll = {
      {{"strips",
        "register tiles of strips: neighbours without shifts, row codes by subgroup shuffles, T "
        "generations per launch",
        {generations({2, 4, 8, 12, 14, 16, 20, 24, 28, 32, 40}),
         rows_per_lane({1, 2, 3, 4, 6, 8, 12}),
         {&Tuning::words, "words", "words per row of a tile", {2, 3, 4, 5, 6, 8, 10, 12, 14, 16}},
         {&Tuning::group,
          "subgroups",
          "subgroups per workgroup, which share a tile",
          {1, 2, 4, 8}}},
        true,
        true,
        false,
        true},
       Needs::shuffles,
       strips_shape},
      {sums_info(), Needs::nothing, sums_shape},
      {gpu::table_kernel(), Needs::nothing, table_shape},
      {{"subgroup",
        "register tiles of column-major 32-bit words, row codes by subgroup shuffles (the "
        "counterpart of CUDA's warp)",
        {generations({1, 2, 4, 8, 12, 16}),
         rows_per_lane({4, 8, 12}),
         tile_words({3, 4, 6, 8}),
         {&Tuning::group,
          "subgroups",
          "subgroups per workgroup, each with its own tile",
          {1, 2, 4, 8}}}},
       Needs::shuffles,
       subgroup_shape},
      {{"shared",
        "tiles of 32-bit words in workgroup memory, T generations per launch (Fujita et al. 2015, "
        "section VI)",
        {generations({1, 2, 4, 8, 12, 16}),
         {&Tuning::rows, "rows", "rows of a tile per invocation", {2, 4, 8}},
         tile_words({4, 8, 16})}},
       Needs::nothing,
       shared_shape},
      {{"word",
        "one 32-bit word per invocation, one generation per launch, no subgroups needed",
        {}},
       Needs::nothing,
       word_shape},
  };
  return kAll;
}

const VulkanKernel& kernel_named(const std::string& name) {
  for (const VulkanKernel& kernel : kernels()) {
    if (kernel.info.name == name) return kernel;
  }
  throw InputError("the vulkan backend has no kernel '" + name + "'");
}

std::optional<std::string> missing_for(const Gpu& gpu, const VulkanKernel& kernel) {
  if (!gpu.missing.empty()) return "vulkan: " + gpu.name + ": " + gpu.missing;
  if (kernel.needs == Needs::nothing) return std::nullopt;
  if (!gpu.shuffles) {
    return fmt::format(
        "vulkan: {}: kernel {} needs subgroups with shuffle-relative in compute shaders; the "
        "device has {}",
        gpu.name, kernel.info.name,
        gpu.subgroup_size == 0 ? "no subgroups there" : "subgroups without it");
  }
  if (gpu.subgroup_size < 4 || gpu.subgroup_size > 64) {
    return fmt::format(
        "vulkan: {}: kernel {} needs subgroups of 4 to 64 invocations; the device has {}", gpu.name,
        kernel.info.name, gpu.subgroup_size);
  }
  return std::nullopt;
}

}  // namespace

std::vector<KernelInfo> kernel_infos() {
  std::vector<KernelInfo> infos;
  for (const VulkanKernel& kernel : kernels()) infos.push_back(kernel.info);
  return infos;
}

std::string default_kernel(const Gpu& gpu, bool ranges) {
  for (const VulkanKernel& kernel : kernels()) {
    if ((ranges ? kernel.info.ranges : kernel.info.near) && !missing_for(gpu, kernel))
      return kernel.info.name;
  }
  return kernels().back().info.name;
}

std::optional<std::string> missing_for(const Gpu& gpu, const std::string& kernel) {
  return missing_for(gpu, kernel_named(kernel));
}

KernelShape choose_shape(const Gpu& gpu, const std::string& kernel, const BackendSpec& spec,
                         const Tuning& tuning) {
  return kernel_named(kernel).shape(gpu, spec, tuning);
}

}  // namespace tessera::vulkan
