#include "backends/vulkan/batch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "core/base/geometry.h"
#include "core/base/memory_text.h"

namespace tessera::vulkan {

namespace {

constexpr std::int64_t kMostTransferBytes = std::int64_t{1} << 26;
constexpr std::int64_t kMostParts = 4096;
constexpr std::int64_t kMostSlicedLanes = 32;
// Shuffles of smaller and larger subgroups are not tested.
constexpr std::uint32_t kLeastLanes = 4, kMostLanes = 64;
// Vulkan does not tell how many units a device has: subgroups that keep a large one busy.
constexpr std::int64_t kWantedTiles = 1024;
// Of a lane on an emulated device, whose compiler takes long for what is unrolled.
constexpr std::int64_t kSoftwareWords = 32;
constexpr std::uint32_t kGroupTiles = 4;

gpu::FitLimits limits_of(const Gpu& gpu) {
  gpu::FitLimits limits;
  limits.lanes = gpu.subgroup_size;
  if (gpu.software()) limits.most_words = kSoftwareWords;
  limits.most_group = std::min<std::int64_t>(
      {limits.most_group, gpu.max_subgroups, gpu.max_group_size / std::max(1u, gpu.subgroup_size)});
  limits.shared_bytes = gpu.max_group_memory;
  limits.wanted_tiles = gpu.software() ? 0 : kWantedTiles;
  return limits;
}

// What a device lacks for the kernel whole, or nothing.
std::string missing_for_whole(const Gpu& gpu) {
  if (!gpu.free_shuffles)
    return "the kernel whole needs subgroups with shuffles in compute shaders";
  if (gpu.subgroup_size < kLeastLanes || gpu.subgroup_size > kMostLanes) {
    return fmt::format("the kernel whole needs subgroups of {} to {} invocations, not {}",
                       kLeastLanes, kMostLanes, gpu.subgroup_size);
  }
  return "";
}

// Bytes of the words of one set of subgroups, which are not parted.
std::int64_t unit_bytes(const gpu::BatchFit& fit, std::int64_t all_lanes) {
  return 4 * fit.group * fit.rows * fit.columns * all_lanes;
}

// A universe in every bit. As many lanes as there are universes for, and a buffer holds.
gpu::BatchFit sliced_fit(const BatchSpec& spec, std::int64_t largest, std::uint32_t& lanes) {
  gpu::BatchFit fit;
  fit.columns = spec.each.width;
  fit.rows = spec.each.height;
  const auto words = static_cast<std::uint64_t>(ceil_div(spec.universes, fit.per_word));
  std::int64_t all =
      std::min<std::int64_t>(kMostSlicedLanes, static_cast<std::int64_t>(std::bit_ceil(words)));
  while (all > 1 && unit_bytes(fit, all) > largest) all /= 2;
  lanes = static_cast<std::uint32_t>(all);
  return gpu::fit_of(spec, fit, all);
}

// Cuts the universes into parts of at most `largest` bytes.
void add_parts(BatchPlan& plan, const BatchSpec& spec, const gpu::BatchFit& fit,
               std::int64_t largest) {
  const std::int64_t unit = unit_bytes(fit, plan.all_lanes);
  const std::int64_t most = largest / unit * fit.sets * fit.per_word;
  if (most == 0 || ceil_div(spec.universes, most) > kMostParts) {
    plan.problem = fmt::format(
        "universes of {}x{} cells need buffers of {} with kernel {}; the device's are at most {}, "
        "and there may be {} of them",
        spec.each.width, spec.each.height, memory_text(unit), plan.kernel(), memory_text(largest),
        kMostParts);
    return;
  }
  for (std::int64_t first = 0; first < spec.universes; first += most) {
    BatchSpec own = spec;
    own.universes = std::min(most, spec.universes - first);
    BatchPart part{first, own.universes, gpu::fit_of(own, fit, plan.all_lanes), 0};
    part.bytes = part.fit.tiles / fit.group * unit;
    plan.bytes += part.bytes * (plan.whole ? 1 : 2);
    plan.parts.push_back(part);
  }
}

}  // namespace

std::string BatchPlan::packing() const {
  return whole ? gpu::whole_packing(parts.front().fit.per_word) : gpu::kSlicedPacking;
}

BatchPlan plan_batch(const Gpu& gpu, const BatchSpec& spec, const std::string& kernel,
                     const Tuning& tuning, std::int64_t largest) {
  BatchPlan plan;
  const std::int64_t one = batch_bytes(spec) / spec.universes;
  // Sides beyond it would overflow below.
  if (one > largest || spec.each.width > largest / spec.each.height) {
    plan.problem =
        fmt::format("universes of {}x{} cells do not fit the device's buffers of at most {}",
                    spec.each.width, spec.each.height, memory_text(largest));
    return plan;
  }
  std::optional<gpu::BatchFit> fit;
  if (kernel != "sliced") {
    plan.problem = missing_for_whole(gpu);
    if (plan.problem.empty()) {
      fit = gpu::best_fit(spec, tuning, limits_of(gpu));
      if (!fit) plan.problem = gpu::no_whole("vulkan", spec.each);
    }
  }
  if (fit) {
    plan.whole = true;
    plan.all_lanes = gpu.subgroup_size;
    const std::uint32_t room = std::min(gpu.max_subgroups, gpu.max_group_size / gpu.subgroup_size);
    plan.group_tiles =
        fit->group > 1 ? static_cast<std::uint32_t>(fit->group) : std::min(kGroupTiles, room);
  } else {
    if (kernel == "whole") return plan;
    plan.problem.clear();
    fit = sliced_fit(spec, largest, plan.all_lanes);
  }
  add_parts(plan, spec, *fit, largest);
  const std::int64_t most = std::min(largest, kMostTransferBytes);
  plan.transfer = std::clamp<std::int64_t>(most / one, 1, spec.universes) * one;
  plan.bytes += plan.transfer;
  return plan;
}

}  // namespace tessera::vulkan
