#include "backends/cuda/row_mail.h"

#include <algorithm>
#include <set>
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

RowMail::RowMail(std::shared_ptr<const CudaDevice> device, const Stream& stream,
                 std::shared_ptr<Stepper> stepper, RowMoves moves)
    : device_(std::move(device)),
      stream_(stream),
      stepper_(std::move(stepper)),
      moves_(std::move(moves)) {}

RowMail::~RowMail() {
  CUcontext context = nullptr;
  cuda_library().cuCtxPushCurrent(device_->context());
  if (trades_) {
    cuda_library().cuStreamSynchronize(trades_->stream.get());
    if (trades_->done) cuda_library().cuEventDestroy(trades_->done);
  }
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

void RowMail::set_halos(std::int64_t above, std::int64_t below) {
  const Current current(*device_);
  counters_ = DeviceMemory(device_, stream_, 2 * sizeof(u32), "counters of a band");
  band_ = {above, below, counters_.at(), counters_.at() + sizeof(u32)};
  stepper_->make_band(band_);
}

// The part of the memory that neighbours write.
RowMail::Trades& RowMail::make_trades(std::int64_t rows) {
  if (trades_) return *trades_;
  const Current current(*device_);
  auto made = std::make_unique<Trades>(device_);
  made->rows = rows;
  made->columns = stepper_->own_row_words();
  // The same on both sides of every way: it follows from the width and the layout. Enough warps for
  // the link, few enough to leave the device to the steps.
  constexpr std::int64_t kColumnsAWarp = 4, kMostBlocks = 48;
  constexpr unsigned kThreads = 128;
  made->shape = {
      std::clamp<std::int64_t>(made->columns / (kColumnsAWarp * kThreads / 32), 1, kMostBlocks),
      kThreads};
  made->boxes = DeviceMemory(device_, stream_, 16 * made->box_words(), "rows of neighbours");
  made->flags = DeviceMemory(device_, stream_, 8 * made->warps(), "flags of neighbours");
  made->done = make_event();
  stream_.synchronize("clearing mailboxes");
  trades_ = std::move(made);
  return *trades_;
}

bool RowMail::join_trades(std::span<RowPort* const> bands, std::size_t own, std::int64_t rows) {
  std::set<int> devices;
  for (RowPort* const port : bands) {
    const auto* const mail = dynamic_cast<RowMail*>(port);
    // Kernels that wait for each other would keep each other from one device.
    if (!mail || !devices.insert(mail->device_->facts().index).second) return false;
    if (moves_.layout.empty() || mail->moves_.layout != moves_.layout) return false;
  }
  const std::size_t count = bands.size();
  Trades& trades = make_trades(rows);
  if (band_.above > 0)
    trades.neighbours[0] = static_cast<RowMail*>(bands[(own + count - 1) % count]);
  if (band_.below > 0) trades.neighbours[1] = static_cast<RowMail*>(bands[(own + 1) % count]);
  for (RowMail* const other : trades.neighbours) {
    if (other) other->make_trades(rows);
  }
  return true;
}

void RowMail::join_group(const RowGroup& group) {
  const Current current(*device_);
  group_rows_ = group.rows;
  group_form_ = group.alike && !moves_.layout.empty() ? moves_.own : moves_.canonical;
  group_ = std::make_unique<NcclGroup>(device_, stream_, group, group_rows_ * group_form_.bytes);
}

void RowMail::trade() {
  const Current current(*device_);
  if (group_) return trade_in_group();
  trade_with_peers();
}

void RowMail::trade_in_group() {
  const std::array<bool, 2> has = {band_.above > 0, band_.below > 0};
  const std::int64_t height = stepper_->grid().height;
  const std::array<std::int64_t, 2> out = {group_rows_, height - 2 * group_rows_};
  const std::array<std::int64_t, 2> in = {0, height - group_rows_};
  const auto move = [&](bool leaving) {
    if (group_form_.own) {
      // Both sides by one kernel, which waits for nobody.
      RowTrade trade{};
      trade.rows = group_rows_;
      trade.columns = stepper_->own_row_words();
      trade.done = reinterpret_cast<u32*>(band_.done);
      for (std::size_t side = 0; side < 2; side++) {
        if (!has[side]) continue;
        RowWay& way = trade.ways[side];
        way.out_row = out[side];
        way.in_row = in[side];
        if (leaving) {
          way.out = reinterpret_cast<u32*>(group_->leaving(side));
        } else {
          way.in = reinterpret_cast<const u32*>(group_->arriving(side));
        }
      }
      constexpr unsigned kThreads = 128;
      moves_.trade(trade, {blocks_for(*device_, 32 * trade.columns, kThreads), kThreads}, stream_);
      return;
    }
    for (std::size_t side = 0; side < 2; side++) {
      if (!has[side]) continue;
      if (leaving) {
        moves_.pack(group_form_, out[side], group_rows_, group_->leaving(side));
      } else {
        moves_.unpack(group_form_, in[side], group_rows_, group_->arriving(side));
      }
    }
  };
  move(true);
  group_->exchange(has, stream_);
  move(false);
  stepper_->halos_renewed(std::nullopt);
}

void RowMail::trade_with_peers() {
  Trades& trades = *trades_;
  trades.epoch++;
  const std::int64_t height = stepper_->grid().height;
  RowTrade trade{};
  trade.rows = trades.rows;
  trade.columns = trades.columns;
  trade.epoch = trades.epoch;
  trade.done = reinterpret_cast<u32*>(band_.done);
  for (std::size_t side = 0; side < 2; side++) {
    const RowMail* const other = trades.neighbours[side];
    if (!other) continue;
    RowWay& way = trade.ways[side];
    way.in_row = side == 0 ? 0 : height - trades.rows;
    way.out_row = side == 0 ? trades.rows : height - 2 * trades.rows;
    // What leaves above arrives below there.
    way.out = reinterpret_cast<u32*>(other->trades_->box(1 - side, trades.epoch));
    way.out_flags = reinterpret_cast<u32*>(other->trades_->flag(1 - side));
    way.in = reinterpret_cast<const u32*>(trades.box(side, trades.epoch));
    way.in_flags = reinterpret_cast<const u32*>(trades.flag(side));
  }
  if (const std::optional<u32> stored = stepper_->edges_stored()) {
    TESSERA_CUDA("waiting for the rows at the edge", cuStreamWaitValue32, trades.stream.get(),
                 band_.tickets, *stored, static_cast<unsigned>(CU_STREAM_WAIT_VALUE_GEQ));
    moves_.trade(trade, trades.shape, trades.stream);
    TESSERA_CUDA("exchanging rows", cuEventRecord, trades.done, trades.stream.get());
    stepper_->halos_renewed(trades.epoch * static_cast<u32>(trades.warps()));
  } else {
    TESSERA_CUDA("exchanging rows", cuStreamWaitEvent, stream_.get(), trades.done, 0u);
    moves_.trade(trade, trades.shape, stream_);
    stepper_->halos_renewed(std::nullopt);
  }
}

}  // namespace tessera::cuda
