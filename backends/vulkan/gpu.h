#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/stepping/driver.h"
#include "vulkan/vulkan_raii.hpp"

namespace tessera::vulkan {

/// The uses of buffers in memory that other APIs import, and the kind of their handles.
constexpr vk::BufferUsageFlags kSharedUsage =
    vk::BufferUsageFlagBits::eStorageBuffer | vk::BufferUsageFlagBits::eTransferDst;
constexpr auto kSharedHandle = vk::ExternalMemoryHandleTypeFlagBits::eOpaqueFd;

/// What this backend needs to know about a physical device. Sizes in bytes.
struct Gpu {
  explicit Gpu(const vk::raii::PhysicalDevice& device) : handle(device) {}

  vk::raii::PhysicalDevice handle;
  std::string name;
  std::string vendor;  ///< name where it is known, PCI number otherwise
  std::string driver;  ///< name and version of the driver
  vk::PhysicalDeviceType type = vk::PhysicalDeviceType::eOther;
  std::uint32_t api_version = 0;
  std::uint32_t queue_family = 0;    ///< one that computes; valid when `missing` is empty
  std::uint32_t timestamp_bits = 0;  ///< 0: no device clock
  double timestamp_seconds = 0;      ///< of one tick
  std::int64_t memory = 0;           ///< of the largest device-local heap
  std::uint32_t heap = 0;            ///< its index
  bool has_memory_budget = false;    ///< VK_EXT_memory_budget
  std::int64_t max_allocation = 0;
  std::int64_t max_buffer_range = 0;   ///< maxStorageBufferRange
  std::uint32_t max_group_size = 0;    ///< invocations per workgroup
  std::uint32_t max_group_memory = 0;  ///< shared memory per workgroup
  std::uint32_t max_groups = 0;        ///< workgroups per dispatch, the smaller of x and y
  std::uint32_t subgroup_size = 0;     ///< invocations per subgroup; 0: no subgroups in compute
  std::uint32_t min_subgroup_size = 0;
  std::uint32_t max_subgroup_size = 0;
  std::uint32_t max_subgroups = 0;      ///< a workgroup
  bool shuffles = false;                ///< shuffle-relative in compute
  bool free_shuffles = false;           ///< shuffles from any invocation in compute
  bool gathers = false;                 ///< ballots and arithmetic in compute
  bool can_require_size = false;        ///< subgroup size can be required at pipeline creation
  bool can_require_full = false;        ///< full subgroups can be required
  bool size_control_extension = false;  ///< from VK_EXT_subgroup_size_control, not from Vulkan 1.3
  /// Integer multiplications run on another unit than logic, and as fast.
  bool multiplies_beside_logic = false;
  /// A loop goes on as long as it has to, so that a workgroup may wait for another. lavapipe ends
  /// the loops of an invocation after 65,535 rounds.
  bool endless_loops = true;
  DeviceIdentity identity;
  bool addresses = false;  ///< shaders may read and write buffers by their addresses
  bool exports = false;    ///< buffers whose memory other APIs may import, by file descriptors
  std::string missing;     ///< why nothing can run here, or empty

  bool software() const { return type == vk::PhysicalDeviceType::eCpu; }
  /// Available bytes of device memory: the budget, or all memory where the driver reports no
  /// budget.
  std::int64_t free_memory() const;
  /// What `tessera devices` lists, but for the kernels.
  DeviceInfo describe(int index) const;
};

/// The instance and its devices: discrete GPUs first, then integrated ones, then software. Made
/// once, when first asked for, and kept until the program ends.
struct Gpus {
  std::vector<Gpu> list;
  std::string missing;  ///< why the list is empty, or empty

  static const Gpus& get();
};

}  // namespace tessera::vulkan
