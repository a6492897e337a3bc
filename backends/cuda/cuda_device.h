#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "backends/cuda/cuda_library.h"

namespace tessera::cuda {

inline constexpr std::int64_t kWarpLanes = 32;

/// What is known about a GPU without making a context on it.
struct DeviceFacts {
  int index = 0;
  std::string name;
  std::int64_t memory = 0;   ///< bytes in all
  int major = 0, minor = 0;  ///< compute capability
  int multiprocessors = 0;
  int clock_khz = 0;
  std::int64_t cache = 0;   ///< bytes of the cache that all multiprocessors share
  std::int64_t shared = 0;  ///< bytes of shared memory that a block may have
};

/// Reads them; throws DeviceError.
DeviceFacts device_facts(int index);

/// A device's primary context, held for the lifetime of this object. Shared by all backends on the
/// device.
class CudaDevice {
 public:
  explicit CudaDevice(int index);
  ~CudaDevice();
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  const DeviceFacts& facts() const { return facts_; }
  CUcontext context() const { return context_; }

  struct Memory {
    std::int64_t free, total;  ///< bytes
  };
  Memory memory() const;

 private:
  DeviceFacts facts_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
};

/// Why nothing can run here, the driver's library or the compiler being missing; or empty.
std::string why_no_cuda();

/// The device of an index: one context for all backends, kept between them, because making one
/// takes a good part of a second. Throws DeviceError.
std::shared_ptr<const CudaDevice> open_device(int index);

/// Makes a device's context current for the calling thread for the lifetime of this object.
class Current {
 public:
  explicit Current(const CudaDevice& device);
  ~Current();
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
};

/// A stream of a device; work in it runs in order.
class Stream {
 public:
  explicit Stream(std::shared_ptr<const CudaDevice> device);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  CUstream get() const { return stream_; }
  const CudaDevice& device() const { return *device_; }
  void synchronize(const std::string& doing) const;
  /// Waits and tells of no error, as destructors must.
  void drain() const;

 private:
  std::shared_ptr<const CudaDevice> device_;
  CUstream stream_ = nullptr;
};

}  // namespace tessera::cuda
