#include "backends/cuda/nccl_library.h"

#include <dlfcn.h>

#include "backends/cuda/toolkit_library.h"
#include "core/base/error.h"

namespace tessera::cuda {

namespace {

NcclLibrary load() {
  NcclLibrary library;
  std::string why;
  constexpr const char* kNames[] = {"libnccl.so.2"};
  void* handle = open_toolkit_library(kNames, why);
  if (!handle) {
    library.missing = "NCCL is not installed: " + why;
    return library;
  }
#define TESSERA_LOAD(call)                                                       \
  library.call = reinterpret_cast<decltype(library.call)>(dlsym(handle, #call)); \
  if (!library.call && library.missing.empty())                                  \
    library.missing = "NCCL is too old: it has no " #call;
  TESSERA_LOAD(ncclGetVersion)
  TESSERA_LOAD(ncclGetErrorString)
  TESSERA_LOAD(ncclGetUniqueId)
  TESSERA_LOAD(ncclCommInitRank)
  TESSERA_LOAD(ncclCommDestroy)
  TESSERA_LOAD(ncclCommAbort)
  TESSERA_LOAD(ncclGroupStart)
  TESSERA_LOAD(ncclGroupEnd)
  TESSERA_LOAD(ncclSend)
  TESSERA_LOAD(ncclRecv)
#undef TESSERA_LOAD
  return library;
}

}  // namespace

const NcclLibrary& nccl_library() {
  static const NcclLibrary kLibrary = load();
  return kLibrary;
}

void check_nccl(NcclStatus status, const char* call, const std::string& doing) {
  if (status == 0 || status == kNcclInProgress) return;
  throw DeviceError(std::string("NCCL: ") + call + " failed with " +
                    nccl_library().ncclGetErrorString(status) + " while " + doing);
}

}  // namespace tessera::cuda
