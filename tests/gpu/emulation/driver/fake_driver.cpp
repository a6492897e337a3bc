// A CUDA driver and an NVRTC that run the kernels of tiles.cu (fake_launch.cpp), and those of grids
// in some shapes (grid_kernels.cpp), on the CPU: libcuda.so.1 and libnvrtc.so.13 for programs that
// test the backend without a GPU. Memory of the device is memory of the host (fake_memory.cpp),
// launches are done when they return, and a warp's lanes are coroutines that meet at every
// exchange. "Compiling" (fake_compiler.cpp) keeps the rule's header; everything else about a kernel
// is this library's own copy of its text. But the kernel sums, whose text differs with every rule,
// and the services of its layout are compiled indeed, by the compiler of the host
// (compiled_kernels.cpp), perhaps of a folder FAKE_CUDA_KERNELS. There are FAKE_CUDA_DEVICES of
// FAKE_CUDA_MULTIPROCESSORS, 1 of 2 where these are not set; a launch runs on the thread that makes
// it, so that kernels of several devices run beside each other where several threads launch them.
// FAKE_CUDA_KILOHERTZ is their clock, by which the host judges how much a launch may do.
// Here are devices, contexts, streams and events.
#include <cuda.h>

#include <cstdlib>
#include <cstring>

namespace {

int setting(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned int) { return CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int* version) { return *version = 13000, CUDA_SUCCESS; }
CUresult cuGetErrorName(CUresult, const char** text) { return *text = "an error", CUDA_SUCCESS; }
CUresult cuGetErrorString(CUresult, const char** text) { return *text = "an error", CUDA_SUCCESS; }
CUresult cuDeviceGetCount(int* count) {
  return *count = setting("FAKE_CUDA_DEVICES", 1), CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int index) { return *device = index, CUDA_SUCCESS; }
CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  std::strncpy(name, "emulated", static_cast<std::size_t>(length));
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
  *value = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9
           : which == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
               ? setting("FAKE_CUDA_MULTIPROCESSORS", 2)
           : which == CU_DEVICE_ATTRIBUTE_CLOCK_RATE ? setting("FAKE_CUDA_KILOHERTZ", 1000000)
                                                     : 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice) {
  return *bytes = std::size_t{8} << 30, CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid(CUuuid* id, CUdevice device) {
  *id = {};
  return id->bytes[0] = static_cast<char>(device), CUDA_SUCCESS;
}
CUresult cuDeviceGetPCIBusId(char* id, int, CUdevice) { return *id = 0, CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  return *context = nullptr, CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }
CUresult cuCtxPushCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxPopCurrent(CUcontext*) { return CUDA_SUCCESS; }
CUresult cuDeviceCanAccessPeer(int* can, CUdevice, CUdevice) { return *can = 1, CUDA_SUCCESS; }
CUresult cuCtxEnablePeerAccess(CUcontext, unsigned int) { return CUDA_SUCCESS; }
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return *least = 0, *greatest = -1, CUDA_SUCCESS;
}
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned int, int) {
  return *stream = nullptr, CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamSynchronize(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamWaitEvent(CUstream, CUevent, unsigned int) { return CUDA_SUCCESS; }
CUresult cuStreamBeginCapture(CUstream, CUstreamCaptureMode) { return CUDA_ERROR_NOT_SUPPORTED; }
CUresult cuStreamEndCapture(CUstream, CUgraph*) { return CUDA_ERROR_NOT_SUPPORTED; }
CUresult cuGraphInstantiateWithFlags(CUgraphExec*, CUgraph, unsigned long long) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuGraphLaunch(CUgraphExec, CUstream) { return CUDA_ERROR_NOT_SUPPORTED; }
CUresult cuGraphDestroy(CUgraph) { return CUDA_SUCCESS; }
CUresult cuGraphExecDestroy(CUgraphExec) { return CUDA_SUCCESS; }
CUresult cuEventCreate(CUevent*, unsigned int) { return CUDA_SUCCESS; }
CUresult cuEventDestroy(CUevent) { return CUDA_SUCCESS; }
CUresult cuEventRecord(CUevent, CUstream) { return CUDA_SUCCESS; }
CUresult cuEventSynchronize(CUevent) { return CUDA_SUCCESS; }
CUresult cuEventElapsedTime(float* ms, CUevent, CUevent) { return *ms = 0, CUDA_SUCCESS; }

}  // extern "C"
