#include "backends/cuda/cuda_device.h"

#include <map>
#include <mutex>
#include <utility>

#include "backends/cuda/compiler.h"

namespace tessera::cuda {

DeviceFacts device_facts(int index) {
  DeviceFacts facts;
  facts.index = index;
  const std::string doing = "looking at device " + std::to_string(index);
  CUdevice device = 0;
  TESSERA_CUDA(doing, cuDeviceGet, &device, index);
  char name[256] = {};
  TESSERA_CUDA(doing, cuDeviceGetName, name, static_cast<int>(sizeof name) - 1, device);
  facts.name = name;
  std::size_t bytes = 0;
  TESSERA_CUDA(doing, cuDeviceTotalMem, &bytes, device);
  facts.memory = static_cast<std::int64_t>(bytes);
  const auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    TESSERA_CUDA(doing, cuDeviceGetAttribute, &value, which, device);
    return value;
  };
  facts.major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  facts.minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  facts.multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  facts.clock_khz = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  facts.cache = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  facts.shared = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  return facts;
}

CudaDevice::CudaDevice(int index) : facts_(device_facts(index)) {
  TESSERA_CUDA("opening device " + std::to_string(index), cuDeviceGet, &device_, index);
  TESSERA_CUDA("opening device " + std::to_string(index), cuDevicePrimaryCtxRetain, &context_,
               device_);
}

// Failures while releasing are not reported: the context may be lost, and then everything is
// released already.
CudaDevice::~CudaDevice() { cuda_library().cuDevicePrimaryCtxRelease(device_); }

CudaDevice::Memory CudaDevice::memory() const {
  const Current current(*this);
  std::size_t free = 0, total = 0;
  TESSERA_CUDA("asking for the free memory", cuMemGetInfo, &free, &total);
  return {static_cast<std::int64_t>(free), static_cast<std::int64_t>(total)};
}

Current::Current(const CudaDevice& device) {
  TESSERA_CUDA("switching to " + device.facts().name, cuCtxPushCurrent, device.context());
}

Current::~Current() {
  CUcontext context = nullptr;
  cuda_library().cuCtxPopCurrent(&context);
}

Stream::Stream(std::shared_ptr<const CudaDevice> device) : device_(std::move(device)) {
  const Current current(*device_);
  int least = 0, greatest = 0;
  TESSERA_CUDA("making a stream", cuCtxGetStreamPriorityRange, &least, &greatest);
  TESSERA_CUDA("making a stream", cuStreamCreateWithPriority, &stream_,
               static_cast<unsigned>(CU_STREAM_NON_BLOCKING), least);
}

Stream::~Stream() {
  CUcontext context = nullptr;
  cuda_library().cuCtxPushCurrent(device_->context());
  cuda_library().cuStreamDestroy(stream_);
  cuda_library().cuCtxPopCurrent(&context);
}

void Stream::synchronize(const std::string& doing) const {
  TESSERA_CUDA(doing, cuStreamSynchronize, stream_);
}

void Stream::drain() const {
  CUcontext context = nullptr;
  cuda_library().cuCtxPushCurrent(device_->context());
  cuda_library().cuStreamSynchronize(stream_);
  cuda_library().cuCtxPopCurrent(&context);
}

std::string why_no_cuda() {
  const CudaLibrary& library = cuda_library();
  if (!library.missing.empty()) return library.missing;
  return compiler_missing();
}

// After a loss it is made anew, once the last backend on the lost one is gone. It is never
// destroyed: when the program ends, the driver may be gone before our statics.
std::shared_ptr<const CudaDevice> open_device(int index) {
  struct Opened {
    std::shared_ptr<const CudaDevice> device;
    std::int64_t losses = 0;  // until it was opened
  };
  static std::mutex mutex;
  static auto* const all = new std::map<int, Opened>;
  const std::lock_guard<std::mutex> lock(mutex);
  Opened& opened = (*all)[index];
  if (opened.losses != contexts_lost()) opened.device.reset();
  if (!opened.device) opened = {std::make_shared<const CudaDevice>(index), contexts_lost()};
  return opened.device;
}

}  // namespace tessera::cuda
