#include "backends/cuda/module.h"

#include <algorithm>
#include <utility>

#include "backends/cuda/kernel_cache.h"
#include "core/base/geometry.h"

namespace tessera::cuda {

Module::Module(std::shared_ptr<const CudaDevice> device, const KernelSource& source)
    : device_(std::move(device)), file_(source.file) {
  const DeviceFacts& facts = device_->facts();
  CompiledKernel kernel = cached_kernel(source, facts.major, facts.minor);
  CUresult status = cuda_library().cuModuleLoadData(&module_, kernel.image.data());
  if (status == CUDA_ERROR_INVALID_IMAGE || status == CUDA_ERROR_NO_BINARY_FOR_GPU ||
      status == CUDA_ERROR_INVALID_PTX) {
    // The driver refuses what the cache held.
    forget_kernel(source, facts.major, facts.minor);
    kernel = cached_kernel(source, facts.major, facts.minor);
    status = cuda_library().cuModuleLoadData(&module_, kernel.image.data());
  }
  check_cuda(status, "cuModuleLoadData", "loading " + file_ + " onto " + facts.name);
}

Module::~Module() {
  CUcontext context = nullptr;
  cuda_library().cuCtxPushCurrent(device_->context());
  cuda_library().cuModuleUnload(module_);
  cuda_library().cuCtxPopCurrent(&context);
}

CUfunction Module::function(const char* name) const {
  CUfunction function = nullptr;
  TESSERA_CUDA("looking for kernel " + std::string(name) + " in " + file_, cuModuleGetFunction,
               &function, module_, name);
  return function;
}

std::int64_t blocks_for(const CudaDevice& device, std::int64_t items, unsigned threads) {
  return std::clamp<std::int64_t>(ceil_div(items, threads), 1,
                                  std::int64_t{16} * device.facts().multiprocessors);
}

void allow_shared(CUfunction function, unsigned bytes, const char* name) {
  TESSERA_CUDA(std::string("asking for shared memory for ") + name, cuFuncSetAttribute, function,
               CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(bytes));
}

void launch_with(CUlaunchAttribute* attribute, CUfunction function, const LaunchShape& shape,
                 const Stream& stream, const char* name, void** arguments) {
  CUlaunchConfig config{};
  config.gridDimX = static_cast<unsigned>(shape.blocks);
  config.gridDimY = static_cast<unsigned>(shape.blocks_y);
  config.gridDimZ = 1;
  config.blockDimX = shape.threads;
  config.blockDimY = shape.threads_y;
  config.blockDimZ = 1;
  config.sharedMemBytes = shape.shared;
  config.hStream = stream.get();
  config.attrs = attribute;
  config.numAttrs = attribute == nullptr ? 0 : 1;
  TESSERA_CUDA(std::string("launching ") + name, cuLaunchKernelEx, &config, function, arguments,
               nullptr);
}

}  // namespace tessera::cuda
