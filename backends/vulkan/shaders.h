#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tessera::vulkan {

/// The SPIR-V of shaders/NAME.comp, compiled and checked by the build. `name` must be one of those
/// built in. "program" is strips.comp without a rule, and "states" the same of several bit planes:
/// see program_module.h. So are "tile_program" and "tile_states" of tiles.comp.
std::span<const std::uint32_t> spirv(std::string_view name);

}  // namespace tessera::vulkan
