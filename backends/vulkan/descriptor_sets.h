#pragma once

#include <array>
#include <cstdint>

#include "backends/vulkan/device.h"
#include "backends/vulkan/pipelines.h"

namespace tessera::vulkan {

/// What is bound for a dispatch, by TESSERA_BIND_*.
using Bound = std::array<vk::DescriptorBufferInfo, Pipelines::kBindings>;

/// A buffer from a byte on.
inline vk::DescriptorBufferInfo from_byte(vk::Buffer buffer, std::int64_t first = 0) {
  return {buffer, static_cast<vk::DeviceSize>(first), VK_WHOLE_SIZE};
}

/// Descriptor sets for kernels (Pipelines::set_layout). They go with this, all at once.
class DescriptorSets {
 public:
  /// None.
  DescriptorSets() = default;
  /// Room for `most` sets on a device, which must stay. Throws vk::SystemError.
  DescriptorSets(Device& device, std::uint32_t most);

  /// One more, of at most `most`. Throws vk::SystemError.
  vk::DescriptorSet add(const Bound& bound);
  /// Frees all of them; none may be in use.
  void clear() { pool_.reset(); }

 private:
  Device* device_ = nullptr;
  vk::raii::DescriptorPool pool_ = nullptr;
};

}  // namespace tessera::vulkan
