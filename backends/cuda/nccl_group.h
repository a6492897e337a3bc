#pragma once

#include <array>
#include <mutex>

#include "backends/cuda/device_memory.h"
#include "backends/cuda/nccl_library.h"
#include "core/stepping/row_port.h"

namespace tessera::cuda {

/// A device's place among those that exchange rows by NCCL, in one process or in several, and the
/// packed rows on their way: of the side above first, then below.
class NcclGroup {
 public:
  /// The device's context must be current. `bytes` of packed rows go each way. Returns when all
  /// members have come. Throws DeviceError.
  NcclGroup(std::shared_ptr<const CudaDevice> device, const Stream& stream, const RowGroup& group,
            std::int64_t bytes);
  ~NcclGroup();
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;

  /// What the id of a group is, as bytes. Throws UnsupportedError where there is no NCCL.
  static std::string new_group();

  CUdeviceptr leaving(std::size_t side) const { return leaving_.at() + bytes_ * side; }
  CUdeviceptr arriving(std::size_t side) const { return arriving_.at() + bytes_ * side; }
  /// Queues the exchange with the members above and below, as far as `has` says that they are
  /// there. Throws DeviceError, also after `abandon`.
  void exchange(const std::array<bool, 2>& has, const Stream& stream);
  /// Ends what waits for others, and makes `exchange` an error. From any thread.
  void abandon();

 private:
  std::shared_ptr<const CudaDevice> device_;
  int rank_ = 0, size_ = 1;
  std::size_t bytes_ = 0;
  DeviceMemory leaving_, arriving_;
  std::mutex mutex_;
  NcclComm comm_ = nullptr;
};

}  // namespace tessera::cuda
