#pragma once

#include "backends/vulkan/gpu.h"
#include "backends/vulkan/kernel_shape.h"

namespace tessera::vulkan {

/// The shape of the kernel sums for a rule of longer range and a grid. A tile is what an invocation
/// steps. What `tuning` leaves open is chosen.
KernelShape sums_shape(const Gpu& gpu, const BackendSpec& spec, const Tuning& tuning);

}  // namespace tessera::vulkan
