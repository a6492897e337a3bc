#pragma once

#include "backends/vulkan/kernel_shape.h"

namespace tessera::vulkan {

/// The shape of the kernel cascade (shaders/cascade.comp). Throws UnsupportedError for two rules in
/// turns, for tori of fewer than 32 columns, and where a workgroup has too little shared memory.
KernelShape cascade_shape(const Gpu& gpu, const BackendSpec& spec, const Tuning& tuning);

/// Whether it is the fastest kernel for a grid on that device, as far as has been measured.
bool cascade_suits(const Gpu& gpu, const BackendSpec& spec);

}  // namespace tessera::vulkan
