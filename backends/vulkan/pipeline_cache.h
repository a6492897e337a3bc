#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/vulkan/gpu.h"

namespace tessera::vulkan {

/// Where compiled pipelines of a device are kept: $XDG_CACHE_HOME/tessera (or
/// ~/.cache/tessera)/vulkan-DEVICE.cache; empty when there is no such folder to be had.
std::string pipeline_cache_path(const Gpu& gpu);

/// What an earlier run stored, or nothing when there is none, when it was made by another device or
/// driver, or when its checksum is wrong: drivers trust these bytes.
std::vector<std::uint8_t> load_pipeline_cache(const Gpu& gpu);

/// Stores pipelines for the next run. A cache is a convenience: where it cannot be written, nothing
/// is.
void store_pipeline_cache(const Gpu& gpu, const std::vector<std::uint8_t>& data);

}  // namespace tessera::vulkan
