#pragma once

#include <cstdint>
#include <string>

#include "backends/vulkan/gpu.h"
#include "backends/vulkan/kernel_shape.h"

namespace tessera::vulkan {

// What the choices of shapes have in common.

/// What was asked for, or the kernel's own choice where that is 0.
inline std::uint32_t or_else(int asked, std::uint32_t own_choice) {
  return asked > 0 ? static_cast<std::uint32_t>(asked) : own_choice;
}

/// Sets the planes of cells and of states that a rule needs.
void set_planes(const BackendSpec& spec, KernelShape& shape);

/// Throws UnsupportedError: the device cannot have that shape.
[[noreturn]] void cannot(const Gpu& gpu, const KernelShape& shape, const std::string& reason);

/// Rows per lane: as asked, or from `own_choice` on the first of 4, 8, 12 with which `lanes` lanes
/// hold the halos of `generations`.
std::uint32_t rows_for(int asked, std::uint32_t own_choice, std::uint32_t lanes,
                       std::uint32_t generations);

/// Sets T and the margins of a tile of `height` rows: `wanted` generations, or fewer where the
/// halos would leave no rows between them. Throws UnsupportedError where not even one fits.
void set_generations(const Gpu& gpu, KernelShape& shape, std::uint32_t height,
                     std::uint32_t wanted);

/// Sets the workgroup: `group` subgroups, or up to `own_choice` where that is 0. Throws
/// UnsupportedError for more than the device has.
void use_subgroups(const Gpu& gpu, KernelShape& shape, int group, std::uint32_t own_choice);

}  // namespace tessera::vulkan
