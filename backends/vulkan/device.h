#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "backends/vulkan/errors.h"
#include "backends/vulkan/gpu.h"
#include "backends/vulkan/pipelines.h"

namespace tessera::vulkan {

/// A buffer with memory of its own.
struct Buffer {
  vk::raii::DeviceMemory memory = nullptr;
  vk::raii::Buffer handle = nullptr;
  std::int64_t bytes = 0;
  void* mapped = nullptr;     ///< its address on the host, or null
  std::uint64_t address = 0;  ///< its address for shaders, where that was asked for
  std::uint64_t first = 0;    ///< byte of its memory where it begins

  /// In trials: words of the same memory directly before or after, to fill and to check.
  struct Guard {
    vk::raii::Buffer handle = nullptr;
    std::int64_t first = 0;  ///< byte where it begins, a multiple of 4
    std::int64_t bytes = 0;
  };
  std::vector<Guard> guards;
};

/// Two buffers in one piece of memory, that one binding holds together.
struct BufferPair {
  Buffer both;             ///< has the memory: the first part and, `apart` bytes on, the second
  Buffer parts[2];         ///< the same memory
  std::int64_t apart = 0;  ///< a multiple of 4
};

/// A logical device with one compute queue and its pipelines. Shared by the backends on it, because
/// making one takes long; dropped once it is lost. Calls that touch the queue or the pipelines may
/// come from any thread.
class Device {
 public:
  /// The device of that index in Gpus. Throws DeviceError.
  static std::shared_ptr<Device> get(int index);

  explicit Device(const Gpu& gpu);

  const Gpu& gpu() const { return gpu_; }
  const vk::raii::Device& handle() const { return handle_; }

  /// A buffer that only kernels and fills reach: device-local, for storage and as a target of
  /// fills.
  Buffer make_cells(std::int64_t bytes) const;
  /// Two such buffers in one piece of memory; trials put guards around either.
  BufferPair make_pair(std::int64_t bytes) const;
  /// The same with an address, for a GPU that has addresses.
  Buffer make_addressed(std::int64_t bytes) const;
  /// The same, and a source and target of copies, and of the sizes of dispatches.
  Buffer make_work(std::int64_t bytes) const;
  /// A buffer shared with the host: visible, coherent, and cached where possible.
  Buffer make_transfer(std::int64_t bytes) const;

  /// As make_cells, without guards, in memory that other APIs may import: the second. For a GPU
  /// that exports.
  std::pair<Buffer, std::shared_ptr<const SharedMemory>> make_shared(std::int64_t bytes) const;

  void submit(const vk::CommandBuffer& commands, const vk::Fence& fence);
  /// Waits for a fence. Throws DeviceLostError after two minutes, because no submission is that
  /// long.
  void wait(const vk::Fence& fence);

  Pipelines& pipelines() { return *pipelines_; }

  /// Runs a body and records when it lost the device.
  template <class Body>
  auto guarded(const std::string& action, Body&& body) {
    try {
      return checked(gpu_.name, action, std::forward<Body>(body));
    } catch (const DeviceLostError&) {
      lost_ = true;
      throw;
    }
  }

 private:
  void add_guards(Buffer& buffer, vk::DeviceSize before, vk::DeviceSize total) const;
  void add_guard(Buffer& buffer, const vk::DeviceMemory& memory, vk::DeviceSize begin,
                 vk::DeviceSize end) const;
  Buffer make(std::int64_t bytes, vk::BufferUsageFlags usage, vk::MemoryPropertyFlags needed,
              vk::MemoryPropertyFlags wanted) const;
  std::uint32_t memory_type(const vk::MemoryRequirements& requirements,
                            vk::MemoryPropertyFlags needed, vk::MemoryPropertyFlags wanted) const;
  template <class Body>
  auto allocating(std::int64_t bytes, Body&& body) const;

  const Gpu& gpu_;
  vk::raii::Device handle_;
  vk::raii::Queue queue_;
  std::mutex queue_mutex_;
  std::unique_ptr<Pipelines> pipelines_;
  bool lost_ = false;
};

}  // namespace tessera::vulkan
