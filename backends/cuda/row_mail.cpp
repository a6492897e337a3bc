#include "backends/cuda/row_mail.h"

#include <utility>

#include "core/base/error.h"

namespace tessera::cuda {

namespace {

std::size_t at(RowSide side) { return side == RowSide::above ? 0 : 1; }

CUevent make_event() {
  CUevent event = nullptr;
  TESSERA_CUDA("making an event", cuEventCreate, &event,
               static_cast<unsigned>(CU_EVENT_DISABLE_TIMING));
  return event;
}

}  // namespace

RowMail::RowMail(std::shared_ptr<const CudaDevice> device, const Stream& stream, RowMoves moves)
    : device_(std::move(device)), stream_(stream), moves_(std::move(moves)) {}

RowMail::~RowMail() {
  CUcontext context = nullptr;
  cuda_library().cuCtxPushCurrent(device_->context());
  for (const CUevent event : {out_[0].posted, out_[1].posted, taken_[0], taken_[1]}) {
    if (event) cuda_library().cuEventDestroy(event);
  }
  cuda_library().cuCtxPopCurrent(&context);
}

std::optional<std::string> RowMail::join(RowPort& from, RowSide side) {
  auto* const other = dynamic_cast<RowMail*>(&from);
  if (!other) return device_->facts().name + " takes rows from CUDA devices only";
  const Current current(*device_);
  const int own = device_->facts().index, theirs = other->device_->facts().index;
  if (own != theirs) {
    int can = 0;
    TESSERA_CUDA("asking whether devices reach each other", cuDeviceCanAccessPeer, &can, own,
                 theirs);
    if (!can) {
      return "cuda:" + std::to_string(own) +
             " cannot reach the memory of cuda:" + std::to_string(theirs);
    }
    const CUresult status = cuda_library().cuCtxEnablePeerAccess(other->device_->context(), 0u);
    if (status != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
      check_cuda(status, "cuCtxEnablePeerAccess", "joining two devices");
  }
  if (!taken_[at(side)]) taken_[at(side)] = make_event();
  const bool alike = !moves_.layout.empty() && moves_.layout == other->moves_.layout;
  other->out_[at(side)].form = alike ? moves_.own : moves_.canonical;
  return std::nullopt;
}

void RowMail::post(RowSide side, std::int64_t y, std::int64_t rows) {
  const Current current(*device_);
  Box& box = out_[at(side)];
  if (!box.posted) box.posted = make_event();
  if (box.taken) {
    TESSERA_CUDA("waiting for a neighbour", cuStreamWaitEvent, stream_.get(), box.taken, 0u);
  }
  if (const std::int64_t bytes = rows * box.form.bytes; box.packed.bytes() < bytes) {
    // Freeing waits for all that the device does; the neighbour may still read.
    if (box.taken) TESSERA_CUDA("waiting for a neighbour", cuEventSynchronize, box.taken);
    box.packed = DeviceMemory();
    box.packed = DeviceMemory(device_, stream_, bytes, "rows for a neighbour");
  }
  box.rows = rows;
  moves_.pack(box.form, y, rows, box.packed.at());
  TESSERA_CUDA("passing rows on", cuEventRecord, box.posted, stream_.get());
}

void RowMail::take(RowPort& from, RowSide side, std::int64_t y) {
  const Current current(*device_);
  Box& box = dynamic_cast<RowMail&>(from).out_[at(side)];
  TESSERA_CUDA("waiting for a neighbour", cuStreamWaitEvent, stream_.get(), box.posted, 0u);
  moves_.unpack(box.form, y, box.rows, box.packed.at());
  box.taken = taken_[at(side)];
  TESSERA_CUDA("taking rows", cuEventRecord, box.taken, stream_.get());
}

}  // namespace tessera::cuda
