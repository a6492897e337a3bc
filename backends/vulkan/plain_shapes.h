#pragma once

#include "backends/vulkan/gpu.h"
#include "backends/vulkan/kernel_shape.h"

namespace tessera::vulkan {

/// The shapes of the kernels over plain words, which are the same for every grid. What `tuning`
/// leaves open is chosen for the device. `generations` is an upper bound: the shape has fewer, and
/// its `tuning` says how many, where the halos would fill the tile. All throw UnsupportedError
/// where the device cannot have such a shape.
KernelShape subgroup_shape(const Gpu& gpu, const BackendSpec& spec, const Tuning& tuning);
KernelShape shared_shape(const Gpu& gpu, const BackendSpec& spec, const Tuning& tuning);
KernelShape word_shape(const Gpu& gpu, const BackendSpec& spec, const Tuning& tuning);
/// That of table, for rules of files.
KernelShape table_shape(const Gpu& gpu, const BackendSpec& spec, const Tuning& tuning);

}  // namespace tessera::vulkan
