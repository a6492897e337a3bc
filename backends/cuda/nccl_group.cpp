#include "backends/cuda/nccl_group.h"

#include <cstring>
#include <utility>

#include "core/base/error.h"

namespace tessera::cuda {

std::string NcclGroup::new_group() {
  if (const std::string& why = nccl_library().missing; !why.empty())
    throw UnsupportedError("link nccl: " + why + "; auto, peer and host are accepted without it");
  NcclId id{};
  TESSERA_NCCL("making a group of devices", ncclGetUniqueId, &id);
  return {id.bytes, sizeof id.bytes};
}

NcclGroup::NcclGroup(std::shared_ptr<const CudaDevice> device, const Stream& stream,
                     const RowGroup& group, std::int64_t bytes)
    : device_(std::move(device)),
      rank_(group.rank),
      size_(group.size),
      bytes_(static_cast<std::size_t>(bytes)),
      leaving_(device_, stream, 2 * bytes, "rows for neighbours"),
      arriving_(device_, stream, 2 * bytes, "rows of neighbours") {
  stream.synchronize("clearing rows of neighbours");
  if (const std::string& why = nccl_library().missing; !why.empty())
    throw UnsupportedError("link nccl: " + why);
  NcclId id{};
  if (group.name.size() != sizeof id.bytes) throw DeviceError("NCCL: this is no group's name");
  std::memcpy(id.bytes, group.name.data(), sizeof id.bytes);
  TESSERA_NCCL("joining the devices of a grid", ncclCommInitRank, &comm_, size_, id, rank_);
}

NcclGroup::~NcclGroup() {
  CUcontext context = nullptr;
  cuda_library().cuCtxPushCurrent(device_->context());
  if (comm_) nccl_library().ncclCommDestroy(comm_);
  cuda_library().cuCtxPopCurrent(&context);
}

void NcclGroup::exchange(const std::array<bool, 2>& has, const Stream& stream) {
  const std::lock_guard lock(mutex_);
  if (!comm_) throw DeviceError("NCCL: another device of the grid was lost");
  const NcclLibrary& nccl = nccl_library();
  const std::string doing = "exchanging rows";
  const std::array<int, 2> peers = {(rank_ + size_ - 1) % size_, (rank_ + 1) % size_};
  const auto pointer = [](CUdeviceptr at) { return reinterpret_cast<void*>(at); };
  check_nccl(nccl.ncclGroupStart(), "ncclGroupStart", doing);
  NcclStatus status = 0;
  // With two members both sides have one peer: what leaves below first arrives above first.
  for (const std::size_t side : {std::size_t{1}, std::size_t{0}}) {
    if (has[side] && status == 0) {
      status = nccl.ncclSend(pointer(leaving(side)), bytes_, kNcclBytes, peers[side], comm_,
                             stream.get());
    }
  }
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    if (has[side] && status == 0) {
      status = nccl.ncclRecv(pointer(arriving(side)), bytes_, kNcclBytes, peers[side], comm_,
                             stream.get());
    }
  }
  const NcclStatus ended = nccl.ncclGroupEnd();
  check_nccl(status, "ncclSend or ncclRecv", doing);
  check_nccl(ended, "ncclGroupEnd", doing);
}

void NcclGroup::abandon() {
  const std::lock_guard lock(mutex_);
  if (!comm_) return;
  CUcontext context = nullptr;
  cuda_library().cuCtxPushCurrent(device_->context());
  nccl_library().ncclCommAbort(std::exchange(comm_, nullptr));
  cuda_library().cuCtxPopCurrent(&context);
}

}  // namespace tessera::cuda
