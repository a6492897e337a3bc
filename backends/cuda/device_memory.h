#pragma once

#include <cstdint>
#include <memory>

#include "backends/cuda/cuda_device.h"

namespace tessera::cuda {

/// A piece of device memory, zero at first.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  /// `what` names it in messages. The device's context must be current. Throws DeviceError.
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

  /// Throws DeviceError when anything wrote outside; checks only what was allocated with guards.
  void check_guards(const Stream& stream) const;

 private:
  std::shared_ptr<const CudaDevice> device_;
  CUdeviceptr whole_ = 0, address_ = 0;
  std::int64_t bytes_ = 0, guard_ = 0;
};

/// How tests look at allocations and disturb them. Not thread-safe.
struct AllocationTrial {
  std::int64_t guard =
      0;  ///< bytes of canary on each side of what is allocated from now on; a multiple of 256
  std::int64_t fail_at =
      -1;  ///< this allocation from now on (0 is the next) fails as if memory had run out
  std::int64_t live = 0;  ///< pieces allocated and not freed
};
AllocationTrial& allocation_trial();

}  // namespace tessera::cuda
