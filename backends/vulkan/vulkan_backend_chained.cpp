// The part of VulkanBackend that takes many passes in one dispatch (shaders/chained.glsl).

#include <algorithm>
#include <utility>

#include "backends/vulkan/vulkan_backend.h"
#include "core/base/geometry.h"

namespace tessera::vulkan {

namespace {

constexpr std::int64_t kMostTurns = std::int64_t{1} << 31;  // tiles of a dispatch

}  // namespace

void VulkanBackend::make_chained(Chunk& chunk) {
  BufferPair pair = device_->make_pair(chunk.plan.bytes);
  both_ = std::move(pair.both);
  apart_ = pair.apart;
  for (std::size_t n = 0; n < 2; n++) chunk.buffers[n] = std::move(pair.parts[n]);
  turns_ = device_->make_work(plan_.turns);
  seen_turns_ = device_->make_transfer(4);
  for (const Buffer* buffer : {&both_, &turns_, &seen_turns_}) commands_.fill_guards(*buffer);
  commands_.fill_zero(turns_);
  commands_.fill_zero(seen_turns_);
}

// Submissions of as many passes as take 50 ms; of one where no workgroup may wait for another.
void VulkanBackend::chain(std::int64_t generations) {
  const std::int64_t each = shape_.generations;
  const std::int64_t tiles = plan_.row_tiles * ceil_div(spec().width, shape_.tile_columns);
  const std::int64_t side = device_->gpu().max_groups;
  const std::int64_t room = std::min(kMostTurns, side * side) / tiles;
  const std::int64_t most_passes =
      device_->gpu().endless_loops
          ? std::max<std::int64_t>(1, std::min(room, budget() / tiles / each))
          : 1;
  while (generations > 0) {
    const auto now = static_cast<std::uint32_t>(std::min(generations, most_passes * each));
    launch_chained(now);
    odd_ ^= now % 2 != 0;
    generations -= now;
  }
}

void VulkanBackend::launch_chained(std::uint32_t generations) {
  StepParams params = step_params(0);
  const std::int64_t passes = ceil_div(std::int64_t{generations}, std::int64_t{shape_.generations});
  const std::int64_t tiles = plan_.row_tiles * params.columns;
  params.generations = generations;
  params.odd = odd_ ? 1 : 0;
  params.each = shape_.generations;
  params.second = static_cast<std::uint32_t>(apart_ / 4);
  params.present = static_cast<std::uint32_t>(present_);
  params.reach = static_cast<std::uint32_t>(plan_.reach);
  constexpr std::int64_t kTaken = 4 * TESSERA_TURNS_TAKEN;
  commands_.begin_timed(0);
  commands_.barrier_to_all();
  commands_.fill_zero(turns_, kTaken, turns_.bytes - kTaken);
  commands_.barrier();
  commands_.dispatch(step_pipeline_, step_sets_[0][0], params, tiles * passes);
  commands_.barrier_to_all();
  commands_.copy(turns_, 4 * TESSERA_TURNS_STUCK, seen_turns_, 0, 4);
  commands_.add_work(static_cast<double>(tiles * generations));
  commands_.submit();
  if (passes % 2 != 0) present_ = 1 - present_;
}

// After a wait.
void VulkanBackend::check_turns() const {
  if (plan_.reach == 0 || *static_cast<const std::uint32_t*>(seen_turns_.mapped) == 0) return;
  throw DeviceError("vulkan: " + device_->gpu().name +
                    ": a workgroup waited for others that did not run; cells are lost");
}

}  // namespace tessera::vulkan
