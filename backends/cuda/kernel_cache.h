#pragma once

#include <string>

#include "backends/cuda/compiler.h"

namespace tessera::cuda {

/// Folder of compiled kernels, "cuda" in the cache folder; empty when there is none.
std::string kernel_cache_folder();

/// compile_kernel with a cache. An entry is used only when its whole key and its checksum match;
/// otherwise the kernel is compiled and the entry replaced. A cache that cannot be written costs
/// time, not correctness, and is not an error.
CompiledKernel cached_kernel(const KernelSource& source, int major, int minor);

/// Removes the entry of a kernel that the driver refuses.
void forget_kernel(const KernelSource& source, int major, int minor);

}  // namespace tessera::cuda
