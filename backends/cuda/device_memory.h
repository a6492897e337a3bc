#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "backends/cuda/cuda_device.h"

namespace tessera::cuda {

struct MemoryName;

/// A piece of device memory, initially zero.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  /// `what` names it in messages. The device's context must be current. Throws DeviceError,
  /// DeviceMemoryError where there is no room.
  DeviceMemory(std::shared_ptr<const CudaDevice> device, const Stream& stream, std::int64_t bytes,
               const std::string& what);
  ~DeviceMemory();
  DeviceMemory(DeviceMemory&& other) noexcept { swap(other); }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  void swap(DeviceMemory& other) noexcept;

  CUdeviceptr at() const { return address_; }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(address_);
  }
  std::int64_t bytes() const { return bytes_; }
  /// What other devices of this process must know to write here; with `elsewhere` those of other
  /// processes, too. Throws DeviceError.
  MemoryName name(bool elsewhere) const;

  /// Throws DeviceError when anything wrote outside; checks only what was allocated with guards
  /// (gpu::AllocationTrial).
  void check_guards(const Stream& stream) const;

 private:
  std::shared_ptr<const CudaDevice> device_;
  CUdeviceptr whole_ = 0, address_ = 0;
  std::int64_t bytes_ = 0, guard_ = 0;
};

/// A table of `bytes` bytes in the host's memory, copied there. Waits.
DeviceMemory table_on_device(std::shared_ptr<const CudaDevice> device, const Stream& stream,
                             const void* table, std::int64_t bytes, const std::string& what);

/// Pieces allocated and not freed: what tests hold against leaks.
std::atomic<std::int64_t>& live_allocations();

}  // namespace tessera::cuda
