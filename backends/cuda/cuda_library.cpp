#include "backends/cuda/cuda_library.h"

#include <dlfcn.h>

#include <atomic>

#include "core/base/error.h"

namespace tessera::cuda {

namespace {

#define TESSERA_TEXT_OF(name) #name
#define TESSERA_SYMBOL(name) TESSERA_TEXT_OF(name)

CudaLibrary load() {
  CudaLibrary library;
  void* handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* why = dlerror();
    library.missing = std::string("the NVIDIA driver is not installed: ") +
                      (why ? why : "libcuda.so.1 was not found");
    return library;
  }
#define TESSERA_LOAD(call)                                                                      \
  library.call = reinterpret_cast<decltype(library.call)>(dlsym(handle, TESSERA_SYMBOL(call))); \
  if (!library.call && library.missing.empty()) {                                               \
    library.missing = "the NVIDIA driver is too old: it has no " TESSERA_SYMBOL(call);          \
  }
  TESSERA_CUDA_CALLS(TESSERA_LOAD)
#undef TESSERA_LOAD
  if (!library.missing.empty()) return library;
  const CUresult status = library.cuInit(0);
  if (status != CUDA_SUCCESS) {
    const char* text = nullptr;
    library.cuGetErrorString(status, &text);
    library.missing = std::string("the NVIDIA driver cannot be used: cuInit says ") +
                      (text ? text : std::to_string(static_cast<int>(status)).c_str());
    return library;
  }
  library.cuDriverGetVersion(&library.version);
  return library;
}

// After these, nothing on the device can be used.
bool loses_context(CUresult status) {
  switch (status) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_UNKNOWN:
      return true;
    default:
      return false;
  }
}

std::atomic<std::int64_t> lost{0};

}  // namespace

std::int64_t contexts_lost() { return lost; }

const CudaLibrary& cuda_library() {
  static const CudaLibrary kLibrary = load();
  return kLibrary;
}

void check_cuda(CUresult status, const char* call, const std::string& doing) {
  if (status == CUDA_SUCCESS) return;
  const char *name = nullptr, *text = nullptr;
  cuda_library().cuGetErrorName(status, &name);
  cuda_library().cuGetErrorString(status, &text);
  std::string message = std::string("CUDA: ") + call + " failed with " +
                        (name ? name : std::to_string(static_cast<int>(status)).c_str()) + " (" +
                        (text ? text : "no text") + ") while " + doing;
  if (loses_context(status)) {
    lost++;
    message +=
        "; the device's context is lost and the cells with it: start again, from the last "
        "checkpoint if there is one";
  } else if (status == CUDA_ERROR_OUT_OF_MEMORY) {
    message += "; free memory on the device, or take a smaller grid or another backend";
    throw DeviceMemoryError(message);
  }
  throw DeviceError(message);
}

}  // namespace tessera::cuda
