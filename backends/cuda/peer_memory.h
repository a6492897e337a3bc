#pragma once

#include "backends/cuda/device_memory.h"

namespace tessera::cuda {

/// What another device must know of a DeviceMemory to write there; plain bytes, which may travel to
/// another process of the same host.
struct MemoryName {
  CUdeviceptr at = 0;       ///< for devices of the same process
  std::int64_t offset = 0;  ///< of what is meant in the piece that the handle stands for
  CUipcMemHandle handle{};  ///< for other processes; zero where none was asked for
};

/// A piece of another device's memory, as a device reaches it.
class PeerMemory {
 public:
  PeerMemory() = default;
  /// `near`: the piece is of the same process, whose devices reach each other already. The device's
  /// context must be current. Throws DeviceError.
  PeerMemory(std::shared_ptr<const CudaDevice> device, const MemoryName& name, bool near);
  ~PeerMemory();
  PeerMemory(PeerMemory&& other) noexcept { swap(other); }
  PeerMemory& operator=(PeerMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  void swap(PeerMemory& other) noexcept;

  CUdeviceptr at() const { return at_; }

 private:
  std::shared_ptr<const CudaDevice> device_;
  CUdeviceptr opened_ = 0, at_ = 0;
};

}  // namespace tessera::cuda
