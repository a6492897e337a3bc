#include "backends/cuda/device_memory.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "backends/cuda/peer_memory.h"
#include "backends/gpu/allocation_trial.h"
#include "core/base/error.h"

namespace tessera::cuda {

namespace {
constexpr unsigned char kCanary = 0xA5;
}

std::atomic<std::int64_t>& live_allocations() {
  static std::atomic<std::int64_t> count{0};
  return count;
}

DeviceMemory::DeviceMemory(std::shared_ptr<const CudaDevice> device, const Stream& stream,
                           std::int64_t bytes, const std::string& what)
    : device_(std::move(device)), bytes_(bytes), guard_(gpu::allocation_trial().guard) {
  const std::string doing = "allocating " + std::to_string(bytes) + " bytes for " + what;
  if (gpu::allocation_trial().fails()) check_cuda(CUDA_ERROR_OUT_OF_MEMORY, "cuMemAlloc", doing);
  TESSERA_CUDA(doing, cuMemAlloc, &whole_, static_cast<std::size_t>(bytes + 2 * guard_));
  live_allocations()++;
  address_ = whole_ + static_cast<CUdeviceptr>(guard_);
  CUresult status = CUDA_SUCCESS;
  const auto fill = [&](CUdeviceptr at, unsigned char value, std::int64_t count) {
    if (status == CUDA_SUCCESS && count > 0) {
      status =
          cuda_library().cuMemsetD8Async(at, value, static_cast<std::size_t>(count), stream.get());
    }
  };
  fill(whole_, kCanary, guard_);
  fill(address_, 0, bytes);
  fill(address_ + static_cast<CUdeviceptr>(bytes), kCanary, guard_);
  if (status != CUDA_SUCCESS) {
    DeviceMemory given_back(std::move(*this));
    check_cuda(status, "cuMemsetD8Async", "clearing " + what);
  }
}

DeviceMemory::~DeviceMemory() {
  if (!whole_) return;
  // An error here can only say that the context is lost, and the memory with it.
  CUcontext context = nullptr;
  cuda_library().cuCtxPushCurrent(device_->context());
  cuda_library().cuMemFree(whole_);
  cuda_library().cuCtxPopCurrent(&context);
  live_allocations()--;
}

MemoryName DeviceMemory::name(bool elsewhere) const {
  MemoryName out{address_, guard_, {}};
  if (elsewhere)
    TESSERA_CUDA("naming memory for other processes", cuIpcGetMemHandle, &out.handle, whole_);
  return out;
}

void DeviceMemory::swap(DeviceMemory& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(whole_, other.whole_);
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
  std::swap(guard_, other.guard_);
}

void DeviceMemory::check_guards(const Stream& stream) const {
  std::vector<unsigned char> seen(static_cast<std::size_t>(guard_));
  for (const CUdeviceptr at : {whole_, address_ + static_cast<CUdeviceptr>(bytes_)}) {
    if (guard_ == 0) continue;
    TESSERA_CUDA("reading a canary", cuMemcpyDtoHAsync, seen.data(), at, seen.size(), stream.get());
    stream.synchronize("reading a canary");
    if (std::any_of(seen.begin(), seen.end(), [](unsigned char c) { return c != kCanary; })) {
      throw DeviceError(std::string("CUDA: a kernel wrote ") +
                        (at == whole_ ? "before" : "behind") + " a buffer of " +
                        std::to_string(bytes_) + " bytes; this is a defect of the kernel");
    }
  }
}

DeviceMemory table_on_device(std::shared_ptr<const CudaDevice> device, const Stream& stream,
                             const void* table, std::int64_t bytes, const std::string& what) {
  DeviceMemory memory(std::move(device), stream, bytes, what);
  TESSERA_CUDA("copying a table to the device", cuMemcpyHtoDAsync, memory.at(), table,
               static_cast<std::size_t>(bytes), stream.get());
  stream.synchronize("copying a table to the device");
  return memory;
}

}  // namespace tessera::cuda
