#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/vulkan/gpu.h"

namespace tessera::vulkan {

/// Where compiled pipelines of a device are kept: vulkan-DEVICE.cache in the cache folder; empty
/// when there is none.
std::string pipeline_cache_path(const Gpu& gpu);

/// What an earlier run stored, or nothing when there is none, when another device or driver made
/// it, or when its checksum is wrong, because drivers trust these bytes.
std::vector<std::uint8_t> load_pipeline_cache(const Gpu& gpu);

/// Stores pipelines for the next run. The cache is a convenience: failing to write it is not an
/// error.
void store_pipeline_cache(const Gpu& gpu, const std::vector<std::uint8_t>& data);

}  // namespace tessera::vulkan
