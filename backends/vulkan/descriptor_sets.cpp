#include "backends/vulkan/descriptor_sets.h"

namespace tessera::vulkan {

DescriptorSets::DescriptorSets(Device& device, std::uint32_t most) : device_(&device) {
  const vk::DescriptorPoolSize size(vk::DescriptorType::eStorageBuffer,
                                    most * Pipelines::kBindings);
  pool_ = vk::raii::DescriptorPool(device.handle(), vk::DescriptorPoolCreateInfo({}, most, size));
}

vk::DescriptorSet DescriptorSets::add(const Bound& bound) {
  const vk::raii::Device& device = device_->handle();
  const vk::DescriptorSetLayout layout = device_->pipelines().set_layout();
  // The pool frees its sets; nothing frees them one by one.
  const vk::DescriptorSet made =
      (*device)
          .allocateDescriptorSets(vk::DescriptorSetAllocateInfo(*pool_, layout),
                                  *device.getDispatcher())
          .front();
  std::array<vk::WriteDescriptorSet, Pipelines::kBindings> writes;
  for (std::uint32_t i = 0; i < Pipelines::kBindings; i++) {
    writes[i] = vk::WriteDescriptorSet(made, i, 0, 1, vk::DescriptorType::eStorageBuffer, nullptr,
                                       &bound[i]);
  }
  device.updateDescriptorSets(writes, {});
  return made;
}

}  // namespace tessera::vulkan
