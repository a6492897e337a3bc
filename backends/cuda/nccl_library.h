#pragma once

#include <cuda.h>

#include <cstddef>
#include <string>

namespace tessera::cuda {

/// What is used of NVIDIA's library for several GPUs, declared here so that no header of it is
/// needed to build: the interface of version 2, whose binary form NVIDIA keeps.
struct NcclId {
  char bytes[128];
};
using NcclComm = struct NcclCommOpaque*;
using NcclStatus = int;        ///< 0 is success
constexpr int kNcclBytes = 0;  ///< ncclInt8
constexpr int kNcclInProgress = 7;

struct NcclLibrary {
  NcclStatus (*ncclGetVersion)(int*) = nullptr;
  const char* (*ncclGetErrorString)(NcclStatus) = nullptr;
  NcclStatus (*ncclGetUniqueId)(NcclId*) = nullptr;
  NcclStatus (*ncclCommInitRank)(NcclComm*, int size, NcclId, int rank) = nullptr;
  NcclStatus (*ncclCommDestroy)(NcclComm) = nullptr;
  NcclStatus (*ncclCommAbort)(NcclComm) = nullptr;
  NcclStatus (*ncclGroupStart)() = nullptr;
  NcclStatus (*ncclGroupEnd)() = nullptr;
  NcclStatus (*ncclSend)(const void*, std::size_t, int type, int peer, NcclComm,
                         CUstream) = nullptr;
  NcclStatus (*ncclRecv)(void*, std::size_t, int type, int peer, NcclComm, CUstream) = nullptr;
  std::string missing;  ///< why it cannot be used; empty when it can
};

/// Looks for libnccl.so.2 once, where the system's loader does and in the folders of CUDA; never
/// throws.
const NcclLibrary& nccl_library();

/// Throws DeviceError with the call and its status unless it is success.
void check_nccl(NcclStatus status, const char* call, const std::string& doing);

/// Calls the library and checks the result, as TESSERA_CUDA does.
#define TESSERA_NCCL(doing, call, ...) \
  ::tessera::cuda::check_nccl(::tessera::cuda::nccl_library().call(__VA_ARGS__), #call, doing)

}  // namespace tessera::cuda
