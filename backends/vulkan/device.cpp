#include "backends/vulkan/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "backends/gpu/allocation_trial.h"
#include "core/base/memory_text.h"

namespace tessera::vulkan {

namespace {

constexpr vk::DeviceSize kGuardAlignment =
    256;  // the largest alignment that any device requires of a buffer

constexpr auto kCellsUsage =
    vk::BufferUsageFlagBits::eStorageBuffer | vk::BufferUsageFlagBits::eTransferDst;

constexpr vk::DeviceSize round_up(vk::DeviceSize n, vk::DeviceSize to) {
  return (n + to - 1) / to * to;
}

vk::raii::Device make_device(const Gpu& gpu) {
  const float priority = 1;
  const vk::DeviceQueueCreateInfo queue({}, gpu.queue_family, 1, &priority);
  std::vector<const char*> extensions;
  vk::PhysicalDeviceSubgroupSizeControlFeatures subgroups(gpu.can_require_size,
                                                          gpu.can_require_full);
  const bool wants_control = gpu.can_require_size || gpu.can_require_full;
  if (wants_control && gpu.size_control_extension) {
    extensions.push_back(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
  }
  if (gpu.exports) extensions.push_back(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  const std::vector<vk::ExtensionProperties> offered =
      gpu.handle.enumerateDeviceExtensionProperties();
  for (const vk::ExtensionProperties& extension : offered) {
    // Must be enabled where it exists.
    if (std::string_view(extension.extensionName.data()) == "VK_KHR_portability_subset") {
      extensions.push_back("VK_KHR_portability_subset");
    }
  }
  vk::PhysicalDeviceBufferDeviceAddressFeatures addresses(true);
  vk::DeviceCreateInfo info({}, queue, {}, extensions);
  if (wants_control) info.pNext = &subgroups;
  if (gpu.addresses) {
    addresses.pNext = const_cast<void*>(info.pNext);
    info.pNext = &addresses;
  }
  return checked(gpu.name, "open the device", [&] { return vk::raii::Device(gpu.handle, info); });
}

}  // namespace

std::shared_ptr<Device> Device::get(int index) {
  const Gpu& gpu = Gpus::get().list.at(static_cast<std::size_t>(index));
  static std::mutex mutex;
  // Never destroyed: when the program ends, drivers clean up and may be gone before our statics.
  static auto* const open = new std::map<int, std::shared_ptr<Device>>;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Device>& device = (*open)[index];
  if (!device || device->lost_) device = std::make_shared<Device>(gpu);
  return device;
}

Device::Device(const Gpu& gpu)
    : gpu_(gpu),
      handle_(make_device(gpu)),
      queue_(handle_.getQueue(gpu.queue_family, 0)),
      pipelines_(std::make_unique<Pipelines>(gpu_, handle_)) {}

std::uint32_t Device::memory_type(const vk::MemoryRequirements& requirements,
                                  vk::MemoryPropertyFlags needed,
                                  vk::MemoryPropertyFlags wanted) const {
  const vk::PhysicalDeviceMemoryProperties memory = gpu_.handle.getMemoryProperties();
  int best = -1, best_score = -1;
  for (std::uint32_t i = 0; i < memory.memoryTypeCount; i++) {
    const vk::MemoryPropertyFlags flags = memory.memoryTypes[i].propertyFlags;
    if (!(requirements.memoryTypeBits >> i & 1) || (flags & needed) != needed) continue;
    const int score = (flags & wanted) == wanted;
    if (score <= best_score) continue;
    best = static_cast<int>(i);
    best_score = score;
  }
  if (best >= 0) return static_cast<std::uint32_t>(best);
  throw DeviceError("vulkan: " + gpu_.name + ": there is no memory of the kind " +
                    vk::to_string(needed));
}

// Runs a body that allocates memory. `errors` names it in messages, and a trial may disturb it.
template <class Body>
auto Device::allocating(std::int64_t bytes, Body&& body) const {
  return checked(gpu_.name, "allocate " + memory_text(bytes), [&] {
    gpu::AllocationTrial& trial = gpu::allocation_trial();
    if (trial.fails()) throw vk::OutOfDeviceMemoryError("vkAllocateMemory, on trial");
    return body(trial);
  });
}

Buffer Device::make(std::int64_t bytes, vk::BufferUsageFlags usage, vk::MemoryPropertyFlags needed,
                    vk::MemoryPropertyFlags wanted) const {
  return allocating(bytes, [&](const gpu::AllocationTrial& trial) {
    Buffer buffer;
    buffer.bytes = bytes;
    buffer.handle =
        vk::raii::Buffer(handle_, vk::BufferCreateInfo({}, static_cast<vk::DeviceSize>(bytes),
                                                       usage, vk::SharingMode::eExclusive));
    const vk::MemoryRequirements requirements = buffer.handle.getMemoryRequirements();
    const vk::DeviceSize guard = round_up(static_cast<vk::DeviceSize>(trial.guard),
                                          std::max(requirements.alignment, kGuardAlignment));
    const vk::DeviceSize total = requirements.size + 2 * guard;
    const bool addressed = bool(usage & vk::BufferUsageFlagBits::eShaderDeviceAddress);
    const vk::MemoryAllocateFlagsInfo flags(vk::MemoryAllocateFlagBits::eDeviceAddress);
    vk::MemoryAllocateInfo allocation(total, memory_type(requirements, needed, wanted));
    if (addressed) allocation.pNext = &flags;
    buffer.memory = vk::raii::DeviceMemory(handle_, allocation);
    buffer.handle.bindMemory(*buffer.memory, guard);
    buffer.first = guard;
    if (addressed) buffer.address = handle_.getBufferAddress(*buffer.handle);
    if (guard > 0) add_guards(buffer, guard, total);
    if (needed & vk::MemoryPropertyFlagBits::eHostVisible) {
      buffer.mapped = static_cast<char*>(buffer.memory.mapMemory(0, VK_WHOLE_SIZE)) + guard;
    }
    return buffer;
  });
}

std::pair<Buffer, std::shared_ptr<const SharedMemory>> Device::make_shared(
    std::int64_t bytes) const {
  return allocating(bytes, [&](const gpu::AllocationTrial&) {
    Buffer buffer;
    // Mesa's software OpenGL requires a few bytes after everything that it reads.
    buffer.bytes = bytes + kGuardAlignment;
    const vk::StructureChain<vk::BufferCreateInfo, vk::ExternalMemoryBufferCreateInfo> info(
        {{}, static_cast<vk::DeviceSize>(buffer.bytes), kSharedUsage, vk::SharingMode::eExclusive},
        {kSharedHandle});
    buffer.handle = vk::raii::Buffer(handle_, info.get());
    const auto needs =
        handle_
            .getBufferMemoryRequirements2<vk::MemoryRequirements2, vk::MemoryDedicatedRequirements>(
                {*buffer.handle});
    const vk::MemoryRequirements& room = needs.get<vk::MemoryRequirements2>().memoryRequirements;
    const bool dedicated = needs.get<vk::MemoryDedicatedRequirements>().requiresDedicatedAllocation;
    vk::StructureChain<vk::MemoryAllocateInfo, vk::ExportMemoryAllocateInfo,
                       vk::MemoryDedicatedAllocateInfo>
        allocation({room.size, memory_type(room, {}, vk::MemoryPropertyFlagBits::eDeviceLocal)},
                   {kSharedHandle}, {{}, *buffer.handle});
    if (!dedicated) allocation.unlink<vk::MemoryDedicatedAllocateInfo>();
    buffer.memory = vk::raii::DeviceMemory(handle_, allocation.get());
    buffer.handle.bindMemory(*buffer.memory, 0);
    const int descriptor = handle_.getMemoryFdKHR({*buffer.memory, kSharedHandle});
    auto memory = std::make_shared<const SharedMemory>(
        descriptor, static_cast<std::int64_t>(room.size), bytes, dedicated);
    return std::pair(std::move(buffer), std::shared_ptr<const SharedMemory>(std::move(memory)));
  });
}

void Device::add_guards(Buffer& buffer, vk::DeviceSize before, vk::DeviceSize total) const {
  add_guard(buffer, *buffer.memory, 0, before);
  add_guard(buffer, *buffer.memory, before + static_cast<vk::DeviceSize>(buffer.bytes),
            total / kGuardAlignment * kGuardAlignment);
}

// It may begin in the middle of a buffer of its own, because buffers begin at aligned places.
void Device::add_guard(Buffer& buffer, const vk::DeviceMemory& memory, vk::DeviceSize begin,
                       vk::DeviceSize end) const {
  const vk::DeviceSize aligned = begin / kGuardAlignment * kGuardAlignment;
  Buffer::Guard guard;
  guard.first = static_cast<std::int64_t>(begin - aligned);
  guard.bytes = static_cast<std::int64_t>((end - begin) / 4 * 4);
  guard.handle =
      vk::raii::Buffer(handle_, vk::BufferCreateInfo({}, end - aligned,
                                                     vk::BufferUsageFlagBits::eTransferSrc |
                                                         vk::BufferUsageFlagBits::eTransferDst));
  guard.handle.bindMemory(memory, aligned);
  buffer.guards.push_back(std::move(guard));
}

Buffer Device::make_cells(std::int64_t bytes) const {
  return make(bytes, kCellsUsage, {}, vk::MemoryPropertyFlagBits::eDeviceLocal);
}

BufferPair Device::make_pair(std::int64_t bytes) const {
  BufferPair pair;
  const auto size = static_cast<vk::DeviceSize>(bytes);
  const auto guard = static_cast<vk::DeviceSize>(gpu::allocation_trial().guard);
  checked(gpu_.name, "make a buffer", [&] {
    for (Buffer& part : pair.parts) {
      part.bytes = bytes;
      part.handle = vk::raii::Buffer(
          handle_, vk::BufferCreateInfo({}, size, kCellsUsage, vk::SharingMode::eExclusive));
    }
    const vk::MemoryRequirements each = pair.parts[0].handle.getMemoryRequirements();
    pair.apart = static_cast<std::int64_t>(
        round_up(each.size + guard, std::max(each.alignment, kGuardAlignment)));
  });
  pair.both = make_cells(pair.apart + bytes);
  checked(gpu_.name, "make a buffer", [&] {
    const auto apart = static_cast<vk::DeviceSize>(pair.apart);
    const vk::DeviceSize begin = pair.both.first;
    pair.parts[0].handle.bindMemory(*pair.both.memory, begin);
    pair.parts[1].handle.bindMemory(*pair.both.memory, begin + apart);
    if (guard > 0) add_guard(pair.both, *pair.both.memory, begin + size, begin + apart);
  });
  return pair;
}

Buffer Device::make_addressed(std::int64_t bytes) const {
  return make(bytes,
              vk::BufferUsageFlagBits::eStorageBuffer | vk::BufferUsageFlagBits::eTransferDst |
                  vk::BufferUsageFlagBits::eShaderDeviceAddress,
              {}, vk::MemoryPropertyFlagBits::eDeviceLocal);
}

Buffer Device::make_work(std::int64_t bytes) const {
  return make(bytes,
              vk::BufferUsageFlagBits::eStorageBuffer | vk::BufferUsageFlagBits::eTransferDst |
                  vk::BufferUsageFlagBits::eTransferSrc | vk::BufferUsageFlagBits::eIndirectBuffer,
              {}, vk::MemoryPropertyFlagBits::eDeviceLocal);
}

Buffer Device::make_transfer(std::int64_t bytes) const {
  return make(bytes,
              vk::BufferUsageFlagBits::eStorageBuffer | vk::BufferUsageFlagBits::eTransferDst,
              vk::MemoryPropertyFlagBits::eHostVisible | vk::MemoryPropertyFlagBits::eHostCoherent,
              vk::MemoryPropertyFlagBits::eHostCached);
}

void Device::submit(const vk::CommandBuffer& commands, const vk::Fence& fence) {
  guarded("submit work", [&] {
    const std::lock_guard lock(queue_mutex_);
    queue_.submit(vk::SubmitInfo({}, {}, commands), fence);
  });
}

void Device::wait(const vk::Fence& fence) {
  constexpr std::uint64_t kSeconds = 120;
  guarded("wait for the device", [&] {
    if (handle_.waitForFences(fence, true, kSeconds * 1'000'000'000) == vk::Result::eSuccess)
      return;
    throw DeviceLostError(
        fmt::format("vulkan: {}: no answer within {} s to work that was cut to take less than 0.1 "
                    "s; the device hangs",
                    gpu_.name, kSeconds));
  });
}

}  // namespace tessera::vulkan
