#pragma once

#include <cstdint>

namespace tessera::vulkan {

using uint = std::uint32_t;
#include "shaders/params.inl"

}  // namespace tessera::vulkan
