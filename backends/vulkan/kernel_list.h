#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/vulkan/gpu.h"
#include "backends/vulkan/kernel_shape.h"
#include "core/stepping/kernel_info.h"

namespace tessera::vulkan {

/// Every kernel, the default one first.
std::vector<KernelInfo> kernel_infos();

/// The name behind "auto": the first kernel that the device can run, of those for rules of longer
/// range or of those for all others.
std::string default_kernel(const Gpu& gpu, bool ranges = false);

/// Why a kernel cannot run on a device at all, or nothing. Throws InputError for an unknown name,
/// as below.
std::optional<std::string> missing_for(const Gpu& gpu, const std::string& kernel);

/// Makes every choice that `tuning`, which the kernel accepts, leaves open for that grid. Throws
/// UnsupportedError where the device or the grid cannot have that shape.
KernelShape choose_shape(const Gpu& gpu, const std::string& kernel, const BackendSpec& spec,
                         const Tuning& tuning);

}  // namespace tessera::vulkan
