#pragma once

#include <cuda.h>

#include <cstdint>
#include <string>

namespace tessera::cuda {

// The driver calls in use. cuda.h maps most names to a version of the call; so do the uses.
#define TESSERA_CUDA_CALLS(X)    \
  X(cuInit)                      \
  X(cuDriverGetVersion)          \
  X(cuGetErrorName)              \
  X(cuGetErrorString)            \
  X(cuDeviceGetCount)            \
  X(cuDeviceGet)                 \
  X(cuDeviceGetName)             \
  X(cuDeviceGetAttribute)        \
  X(cuDeviceTotalMem)            \
  X(cuDeviceGetPCIBusId)         \
  X(cuDeviceGetUuid)             \
  X(cuDeviceCanAccessPeer)       \
  X(cuCtxEnablePeerAccess)       \
  X(cuDevicePrimaryCtxRetain)    \
  X(cuDevicePrimaryCtxRelease)   \
  X(cuCtxPushCurrent)            \
  X(cuCtxPopCurrent)             \
  X(cuMemGetInfo)                \
  X(cuMemAlloc)                  \
  X(cuMemFree)                   \
  X(cuMemAllocHost)              \
  X(cuMemFreeHost)               \
  X(cuIpcGetMemHandle)           \
  X(cuIpcOpenMemHandle)          \
  X(cuIpcCloseMemHandle)         \
  X(cuMemcpyHtoDAsync)           \
  X(cuMemcpyDtoHAsync)           \
  X(cuMemcpyDtoDAsync)           \
  X(cuMemsetD8Async)             \
  X(cuMemsetD32Async)            \
  X(cuCtxGetStreamPriorityRange) \
  X(cuStreamCreateWithPriority)  \
  X(cuStreamDestroy)             \
  X(cuStreamSynchronize)         \
  X(cuStreamWaitEvent)           \
  X(cuStreamBeginCapture)        \
  X(cuStreamEndCapture)          \
  X(cuGraphInstantiate)          \
  X(cuGraphLaunch)               \
  X(cuGraphDestroy)              \
  X(cuGraphExecDestroy)          \
  X(cuEventCreate)               \
  X(cuEventDestroy)              \
  X(cuEventRecord)               \
  X(cuEventSynchronize)          \
  X(cuEventElapsedTime)          \
  X(cuModuleLoadData)            \
  X(cuModuleUnload)              \
  X(cuModuleGetFunction)         \
  X(cuFuncGetAttribute)          \
  X(cuFuncSetAttribute)          \
  X(cuLaunchKernel)              \
  X(cuLaunchKernelEx)            \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor)

/// The CUDA driver, found when the program runs: no NVIDIA library is needed to build or start it.
struct CudaLibrary {
#define TESSERA_DECLARE(call) decltype(&::call) call = nullptr;
  TESSERA_CUDA_CALLS(TESSERA_DECLARE)
#undef TESSERA_DECLARE
  std::string missing;  ///< why the driver cannot be used; empty when it can
  int version = 0;      ///< of CUDA that the driver supports, 1000 * major + 10 * minor
};

/// Loads the driver once; never throws.
const CudaLibrary& cuda_library();

/// The number of times that a status has reported a lost context. Thread-safe.
std::int64_t contexts_lost();

/// Throws DeviceError with the API, the status and what was being done unless `status` is success;
/// DeviceMemoryError where memory ran out.
void check_cuda(CUresult status, const char* call, const std::string& doing);

/// Calls the driver and checks the result: TESSERA_CUDA("filling the grid", cuMemsetD8Async, at, 0,
/// n, stream).
#define TESSERA_CUDA(doing, call, ...) \
  ::tessera::cuda::check_cuda(::tessera::cuda::cuda_library().call(__VA_ARGS__), #call, doing)

}  // namespace tessera::cuda
