#include "backends/cuda/peer_memory.h"

#include <utility>

namespace tessera::cuda {

PeerMemory::PeerMemory(std::shared_ptr<const CudaDevice> device, const MemoryName& name, bool near)
    : device_(std::move(device)), at_(name.at) {
  if (near) return;
  TESSERA_CUDA("reaching the memory of another process", cuIpcOpenMemHandle, &opened_, name.handle,
               static_cast<unsigned>(CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  at_ = opened_ + static_cast<CUdeviceptr>(name.offset);
}

PeerMemory::~PeerMemory() {
  if (!opened_) return;
  // An error here can only say that the context is lost, and the way with it.
  CUcontext context = nullptr;
  cuda_library().cuCtxPushCurrent(device_->context());
  cuda_library().cuIpcCloseMemHandle(opened_);
  cuda_library().cuCtxPopCurrent(&context);
}

void PeerMemory::swap(PeerMemory& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(opened_, other.opened_);
  std::swap(at_, other.at_);
}

}  // namespace tessera::cuda
