#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "backends/cuda/compiler.h"
#include "backends/cuda/cuda_device.h"

namespace tessera::cuda {

/// Machine code on a device.
class Module {
 public:
  /// Compiles (or takes from the cache) and loads; the device's context must be current.
  Module(std::shared_ptr<const CudaDevice> device, const KernelSource& source);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// A kernel by its name; throws DeviceError.
  CUfunction function(const char* name) const;

 private:
  std::shared_ptr<const CudaDevice> device_;
  std::string file_;
  CUmodule module_ = nullptr;
};

/// A launch's shape: blocks, and threads per block, in x and y; bytes of shared memory that a block
/// asks for, beside what the kernel declares.
struct LaunchShape {
  std::int64_t blocks = 1;
  unsigned threads = 128;
  std::int64_t blocks_y = 1;
  unsigned threads_y = 1;
  unsigned shared = 0;
};

/// Threads per block of kernels that move, count or show cells.
inline constexpr unsigned kServiceThreads = 256;

/// Lets blocks of `function` ask for so many bytes of shared memory.
void allow_shared(CUfunction function, unsigned bytes, const char* name);

/// Blocks for a grid-stride kernel over `items` things.
std::int64_t blocks_for(const CudaDevice& device, std::int64_t items, unsigned threads);

/// Launches `function` with the values of `arguments`, which must be what the kernel takes, in
/// order.
template <class... Arguments>
void launch(CUfunction function, const LaunchShape& shape, const Stream& stream, const char* name,
            const Arguments&... arguments) {
  void* pointers[] = {const_cast<void*>(static_cast<const void*>(&arguments))...};
  TESSERA_CUDA(std::string("launching ") + name, cuLaunchKernel, function,
               static_cast<unsigned>(shape.blocks), static_cast<unsigned>(shape.blocks_y), 1u,
               shape.threads, shape.threads_y, 1u, shape.shared, stream.get(), pointers, nullptr);
}

/// Launches with an attribute, unless it is null.
void launch_with(CUlaunchAttribute* attribute, CUfunction function, const LaunchShape& shape,
                 const Stream& stream, const char* name, void** arguments);

/// As `launch`, but the blocks may start before the launch queued ahead of them has ended; the
/// kernel waits for it with griddepcontrol.wait before it touches what that writes. Devices without
/// this feature use `launch`.
template <class... Arguments>
void launch_overlapping(CUfunction function, const LaunchShape& shape, const Stream& stream,
                        const char* name, const Arguments&... arguments) {
  void* pointers[] = {const_cast<void*>(static_cast<const void*>(&arguments))...};
  CUlaunchAttribute overlap{};
  overlap.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  overlap.value.programmaticStreamSerializationAllowed = 1;
  const bool can = stream.device().facts().major >= 9;
  launch_with(can ? &overlap : nullptr, function, shape, stream, name, pointers);
}

/// As `launch`, but all blocks are on the device at once; fails where they do not fit.
template <class... Arguments>
void launch_together(CUfunction function, const LaunchShape& shape, const Stream& stream,
                     const char* name, const Arguments&... arguments) {
  void* pointers[] = {const_cast<void*>(static_cast<const void*>(&arguments))...};
  CUlaunchAttribute together{};
  together.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  together.value.cooperative = 1;
  launch_with(&together, function, shape, stream, name, pointers);
}

}  // namespace tessera::cuda
