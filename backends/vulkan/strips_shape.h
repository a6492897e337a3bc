#pragma once

#include "backends/vulkan/gpu.h"
#include "backends/vulkan/kernel_shape.h"

namespace tessera::vulkan {

/// The shape of the kernel strips on a grid: every choice that `tuning` leaves open is made for the
/// device, the rule and the size. Throws UnsupportedError where the device or the grid cannot have
/// what `tuning` asks for.
KernelShape strips_shape(const Gpu& gpu, const BackendSpec& spec, const Tuning& tuning);

}  // namespace tessera::vulkan
