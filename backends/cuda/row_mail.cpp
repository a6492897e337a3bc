#include "backends/cuda/row_mail.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "backends/cuda/peer_memory.h"
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

// Words that neighbours write or that a band counts by: of the side above, and as many of the one
// below.
enum Word : std::size_t { kRoom = 0, kArrived = 2, kMet = 3, kStored = 4, kWordsASide = 5 };

CUdeviceptr word(CUdeviceptr words, Word which, std::size_t side) {
  return words + static_cast<CUdeviceptr>(4 * (which + kWordsASide * side));
}
u32* pointer(CUdeviceptr at) { return reinterpret_cast<u32*>(at); }

// What bands tell each other; see RowPort::trade_address.
struct Address {
  static constexpr std::uint64_t kVersion = 0x7465737365726102;
  std::uint64_t version = kVersion;
  std::int64_t process = 0;
  CUcontext context = nullptr;
  int index = 0;
  bool meets = false;  // the kernel that steps can meet neighbours
  CUuuid device{};
  char layout[64]{};
  std::int64_t rows = 0, height = 0, stride = 0, margin = 0;
  MemoryName boxes, words, front, back;
  // Of a ring; no passes: it cannot join one.
  std::int64_t ring_passes = 0;
  MemoryName left, told;

  bool near() const { return process == ::getpid(); }
};
static_assert(std::is_trivially_copyable_v<Address>);

std::optional<Address> read_address(const std::string& text) {
  Address out;
  if (text.size() != sizeof out) return std::nullopt;
  std::memcpy(&out, text.data(), sizeof out);
  if (out.version != Address::kVersion) return std::nullopt;
  return out;
}

// What a device reaches of a neighbour.
struct Neighbour {
  PeerMemory boxes, words, front, back, left, told;
};

}  // namespace

// What trades need on this device, and what it reaches of the neighbours.
struct RowMail::Trades {
  std::int64_t rows = 0;
  RowForm form;
  // For either side two, by turns: rows that neighbours write here, in the longer one of the forms.
  DeviceMemory boxes, words;
  CUdeviceptr front = 0;  // the first buffer of the cells as the neighbours know it
  std::array<std::optional<Neighbour>, 2> neighbours;
  u32 meeting = 0;
  bool meets = false;  // the kernels that step exchange by themselves
  std::int64_t box_bytes = 0;

  CUdeviceptr box(CUdeviceptr of, std::size_t side) const {
    return of + static_cast<CUdeviceptr>(box_bytes) * (2 * side + meeting % 2);
  }
};

RowMail::RowMail(std::shared_ptr<const CudaDevice> device, const Stream& stream,
                 std::shared_ptr<Stepper> stepper, RowMoves moves)
    : device_(std::move(device)),
      stream_(stream),
      stepper_(std::move(stepper)),
      moves_(std::move(moves)) {}

RowMail::~RowMail() {
  CUcontext context = nullptr;
  cuda_library().cuCtxPushCurrent(device_->context());
  for (const CUevent event : {out_[0].posted, out_[1].posted, taken_[0], taken_[1]}) {
    if (event) cuda_library().cuEventDestroy(event);
  }
  cuda_library().cuCtxPopCurrent(&context);
}

// Makes a device of this process reachable, or says why it is not.
std::optional<std::string> RowMail::reach(CUcontext context, int index, const std::string& name) {
  const int own = device_->facts().index;
  if (own == index) return std::nullopt;
  int can = 0;
  TESSERA_CUDA("asking whether devices reach each other", cuDeviceCanAccessPeer, &can, own, index);
  if (!can) return "cuda:" + std::to_string(own) + " cannot reach the memory of " + name;
  const CUresult status = cuda_library().cuCtxEnablePeerAccess(context, 0u);
  if (status != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
    check_cuda(status, "cuCtxEnablePeerAccess", "joining two devices");
  return std::nullopt;
}

std::optional<std::string> RowMail::join(RowPort& from, RowSide side) {
  auto* const other = dynamic_cast<RowMail*>(&from);
  if (!other) return device_->facts().name + " takes rows from CUDA devices only";
  const Current current(*device_);
  const int theirs = other->device_->facts().index;
  if (auto why = reach(other->device_->context(), theirs, "cuda:" + std::to_string(theirs)))
    return why;
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
  band_ = {above, below};
  stepper_->make_band(band_);
}

std::string RowMail::device_id() {
  CUdevice handle = 0;
  CUuuid id{};
  TESSERA_CUDA("naming a device", cuDeviceGet, &handle, device_->facts().index);
  TESSERA_CUDA("naming a device", cuDeviceGetUuid, &id, handle);
  return {id.bytes, sizeof id.bytes};
}

std::string RowMail::trade_address(std::int64_t rows, bool elsewhere) {
  const Current current(*device_);
  auto made = std::make_unique<Trades>();
  made->rows = rows;
  made->box_bytes = (rows * std::max(moves_.canonical.bytes, moves_.own.bytes) + 255) / 256 * 256;
  made->boxes = DeviceMemory(device_, stream_, 4 * made->box_bytes, "rows of neighbours");
  made->words = DeviceMemory(device_, stream_, 2 * 4 * kWordsASide, "words of neighbours");
  made->front = moves_.cells.front.at();
  stream_.synchronize("clearing mailboxes");
  Address own;
  own.process = ::getpid();
  own.context = device_->context();
  own.index = device_->facts().index;
  own.meets = stepper_->meets_neighbours();
  device_id().copy(own.device.bytes, sizeof own.device.bytes);
  moves_.layout.copy(own.layout, sizeof own.layout - 1);
  own.rows = rows;
  own.height = stepper_->grid().height;
  own.stride = stepper_->grid().stride;
  own.margin = stepper_->grid().above;
  own.boxes = made->boxes.name(elsewhere);
  own.words = made->words.name(elsewhere);
  own.front = moves_.cells.front.name(elsewhere);
  own.back = moves_.cells.back.name(elsewhere);
  if (const std::optional<RingMemory> ring = stepper_->open_ring(stream_)) {
    own.ring_passes = ring->passes;
    own.left = ring->left->name(elsewhere);
    own.told = ring->told->name(elsewhere);
    stream_.synchronize("clearing the counters of a ring");
  }
  trades_ = std::move(made);
  return {reinterpret_cast<const char*>(&own), sizeof own};
}

std::optional<std::string> RowMail::join_trades(std::span<const std::string> bands,
                                                std::size_t own) {
  std::vector<Address> all;
  std::set<std::string> devices;
  for (const std::string& each : bands) {
    const std::optional<Address> address = read_address(each);
    if (!address) return "a neighbour passes no rows to other devices";
    // Kernels that wait for each other would keep each other from one device.
    if (!devices.emplace(address->device.bytes, sizeof address->device.bytes).second)
      return "several parts share " + device_->facts().name;
    all.push_back(*address);
  }
  const Current current(*device_);
  Trades& trades = *trades_;
  const bool alike = all[own].layout[0] != 0 && std::ranges::all_of(all, [&](const Address& each) {
                       return std::strcmp(each.layout, all[own].layout) == 0;
                     });
  trades.form = alike ? moves_.own : moves_.canonical;
  trades.meets = alike && std::ranges::all_of(all, &Address::meets);
  const std::array<bool, 2> has = {band_.above > 0, band_.below > 0};
  const std::int64_t passes = std::ranges::min(all, {}, &Address::ring_passes).ring_passes;
  const bool rings = alike && has[0] && has[1] && passes > 0;
  RelayRing ring{};
  BandNeighbours met;
  met.buffer = trades.front;
  for (std::size_t side = 0; side < 2; side++) {
    if (!has[side]) continue;
    const Address& other = all[(own + (side == 0 ? all.size() - 1 : 1)) % all.size()];
    if (other.near()) {
      if (auto why = reach(other.context, other.index, "cuda:" + std::to_string(other.index)))
        return why;
    }
    const auto piece = [&](const MemoryName& name) {
      return PeerMemory(device_, name, other.near());
    };
    Neighbour& neighbour = trades.neighbours[side].emplace();
    try {
      neighbour.boxes = piece(other.boxes);
      neighbour.words = piece(other.words);
      if (trades.meets) {
        neighbour.front = piece(other.front);
        neighbour.back = piece(other.back);
      }
      if (rings) {
        neighbour.left = piece(other.left);
        neighbour.told = piece(other.told);
      }
    } catch (const DeviceError& error) {
      return std::string(error.what());
    }
    // What goes out above arrives below there.
    const std::size_t there = 1 - side;
    const CUdeviceptr theirs = neighbour.words.at(), mine = trades.words.at();
    StripSide& s = met.sides[side];
    s.there[0] = pointer(neighbour.front.at());
    s.there[1] = pointer(neighbour.back.at());
    s.there_stride = other.stride;
    s.there_row = side == 0 ? other.margin + other.height - 2 * trades.rows
                            : other.margin + 2 * trades.rows - stepper_->grid().height;
    s.room = pointer(word(mine, kRoom, side));
    s.room_there = pointer(word(theirs, kRoom, there));
    s.arrived = pointer(word(mine, kArrived, side));
    s.arrived_there = pointer(word(theirs, kArrived, there));
    s.stored = pointer(word(mine, kStored, side));
    if (!rings) continue;
    ring.tells[side] = pointer(neighbour.told.at()) + there;
    if (side == 0) ring.left_above = pointer(neighbour.left.at());
  }
  if (trades.meets) stepper_->join_neighbours(met);
  if (rings) {
    stepper_->join_ring(ring, passes);
  } else {
    stepper_->leave_ring();
  }
  return std::nullopt;
}

void RowMail::leave_trades() {
  const Current current(*device_);
  stream_.synchronize("ending exchanges of rows");
  stepper_->leave_ring();
  if (trades_) trades_->neighbours = {};
}

void RowMail::join_group(const RowGroup& group) {
  const Current current(*device_);
  group_rows_ = group.rows;
  group_form_ = group.alike && !moves_.layout.empty() ? moves_.own : moves_.canonical;
  group_ = std::make_unique<NcclGroup>(device_, stream_, group, group_rows_ * group_form_.bytes);
}

// Queues what packs the rows that leave on either side, or unpacks those that have come; 0: nobody
// is there.
void RowMail::move_rows(const RowForm& form, std::int64_t rows,
                        const std::array<CUdeviceptr, 2>& packed, bool out) {
  const std::int64_t height = stepper_->grid().height;
  const std::array<std::int64_t, 2> first =
      out ? std::array{rows, height - 2 * rows} : std::array{std::int64_t{0}, height - rows};
  if (form.own) {
    RowTrade trade{};
    trade.rows = rows;
    trade.columns = stepper_->own_row_words();
    for (std::size_t side = 0; side < 2; side++) {
      RowWay& way = trade.ways[side];
      (out ? way.out_row : way.in_row) = first[side];
      (out ? way.out : const_cast<u32*&>(way.in)) = pointer(packed[side]);
    }
    moves_.trade(trade);
    return;
  }
  for (std::size_t side = 0; side < 2; side++) {
    if (packed[side]) (out ? moves_.pack : moves_.unpack)(form, first[side], rows, packed[side]);
  }
}

void RowMail::send_rows() {
  if (trades_ && trades_->meets) stepper_->send_rows();
}

void RowMail::trade(bool sent) {
  const Current current(*device_);
  if (group_) {
    const std::array<bool, 2> has = {band_.above > 0, band_.below > 0};
    const auto ends = [&](CUdeviceptr above, CUdeviceptr below) {
      return std::array{has[0] ? above : 0, has[1] ? below : 0};
    };
    move_rows(group_form_, group_rows_, ends(group_->leaving(0), group_->leaving(1)), true);
    group_->exchange(has, stream_);
    move_rows(group_form_, group_rows_, ends(group_->arriving(0), group_->arriving(1)), false);
    stepper_->halos_renewed(false);
    return;
  }
  Trades& trades = *trades_;
  if (sent && trades.meets) return stepper_->halos_renewed(true);
  trades.meeting++;
  std::array<CUdeviceptr, 2> out{}, in{}, theirs{}, own{};
  for (std::size_t side = 0; side < 2; side++) {
    const auto& neighbour = trades.neighbours[side];
    if (!neighbour) continue;
    out[side] = trades.box(neighbour->boxes.at(), 1 - side);
    in[side] = trades.box(trades.boxes.at(), side);
    theirs[side] = word(neighbour->words.at(), kMet, 1 - side);
    own[side] = word(trades.words.at(), kMet, side);
  }
  move_rows(trades.form, trades.rows, out, true);
  moves_.meet(theirs, own, trades.meeting);
  move_rows(trades.form, trades.rows, in, false);
  stepper_->halos_renewed(false);
}

}  // namespace tessera::cuda
