#include "backends/cuda/cuda_tiles.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/rule_source.h"
#include "core/base/error.h"
#include "core/base/geometry.h"
#include "core/base/memory_text.h"
#include "core/tiles/packed_tiles.h"

namespace tessera::cuda {

namespace {

constexpr std::int64_t kWarps = kServiceThreads / 32;
constexpr std::int64_t kFirstRoom = 1024;
constexpr u32 kMostShapes = 4096;
// Notes that arrive with the control block.
constexpr std::int64_t kFirstNotes = 64;
constexpr std::int64_t kHeadBytes =
    static_cast<std::int64_t>(sizeof(TileControl) + kFirstNotes * sizeof(TileNote));
// What is no larger arrives in page-locked memory, which spares the driver a copy of its own.
constexpr std::int64_t kHostBytes = 1 << 18;
static_assert(kHeadBytes <= kHostBytes);
static_assert(kTileCopy == kPackedCopy && kTileNowhere == kPackedNowhere);
constexpr std::size_t kClearedFrom = offsetof(TileControl, stop);

template <class T>
std::int64_t bytes_of(const std::vector<T>& values) {
  return static_cast<std::int64_t>(values.size() * sizeof(T));
}

}  // namespace

KernelSource tiles_source(const BackendSpec& spec) {
  return {"tiles.cu", {{"rule.cuh", ready_header(spec)}}, {}};
}

CudaTiles::CudaTiles(std::shared_ptr<const CudaDevice> device, const BackendSpec& spec)
    : device_(std::move(device)),
      stream_(device_),
      codes_(spec.rule),
      two_rules_(spec.odd_rule.has_value()) {
  const Current current(*device_);
  const std::int64_t free = device_->memory().free;
  limit_ = spec.max_memory > 0 ? std::min(spec.max_memory, free) : free;
  module_ = std::make_unique<Module>(device_, tiles_source(spec));
  step_ = module_->function("step_tiles");
  look_ahead_ = module_->function("look_ahead");
  restart_ = module_->function("restart_tiles");
  patch_ = module_->function("patch_tiles");
  renew_ = module_->function("renew_copies");
  look_ = module_->function("look_at_tiles");
  take_ = module_->function("take_tiles");
  if (codes_.own() == 1) {
    lone_ = module_->function("lone_shapes");
    take_band_ = module_->function("take_band");
  }
  int blocks = 1;
  TESSERA_CUDA("asking for the blocks of a multiprocessor",
               cuOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, step_,
               static_cast<int>(kServiceThreads), std::size_t{0});
  most_blocks_ = std::int64_t{std::max(1, blocks)} * device_->facts().multiprocessors;
  control_ =
      DeviceMemory(device_, stream_,
                   static_cast<std::int64_t>(sizeof(TileControl) + kMostShapes * sizeof(TileNote)),
                   "what steps of tiles tell");
  TESSERA_CUDA("allocating what steps of tiles tell", cuMemAllocHost, &host_,
               static_cast<std::size_t>(kHostBytes));
}

CudaTiles::~CudaTiles() {
  CUcontext context = nullptr;
  cuda_library().cuCtxPushCurrent(device_->context());
  cuda_library().cuStreamSynchronize(stream_.get());
  cuda_library().cuMemFreeHost(host_);
  cuda_library().cuCtxPopCurrent(&context);
}

std::int64_t CudaTiles::bytes_for(std::int64_t tiles, int places) const {
  return tiles *
         (state_bytes() * places + static_cast<std::int64_t>(sizeof(TileRecord) + 2 * sizeof(u32) +
                                                             sizeof(TileNote) + sizeof(u16)));
}

TileRing CudaTiles::ring() const {
  TileRing ring{};
  ring.cells = cells_.as<u64>();
  ring.tiles = tiles_.as<TileRecord>();
  ring.lists[0] = lists_[0].as<u32>();
  ring.lists[1] = lists_[1].as<u32>();
  ring.control = control_.as<TileControl>();
  ring.missing = missing_.as<TileNote>();
  ring.shapes = reinterpret_cast<TileNote*>(control_.at() + sizeof(TileControl));
  ring.copies = copies_.as<TileRepeat>();
  ring.parts = parts_.as<TilePart>();
  ring.copy_count = copy_count_;
  ring.frames = frames_.as<u32>();
  ring.end = end_;
  ring.places = static_cast<u32>(places());
  ring.most_shapes = kMostShapes;
  return ring;
}

LaunchShape CudaTiles::renewing() const {
  return {std::min(most_blocks_, ceil_div(copy_count_, kWarps)), kServiceThreads};
}

void CudaTiles::set_frames(const std::vector<TileFrame>& frames) {
  const Current current(*device_);
  std::vector<u32> words;
  for (const TileFrame& frame : frames) words.push_back(packed(frame));
  send(words, frames_, "frames of tiles");
}

void CudaTiles::set_copies(const std::vector<TileCopy>& copies) {
  copy_count_ = 0;
  if (copies.empty()) return;
  const Current current(*device_);
  std::vector<TileRepeat> repeats;
  std::vector<TilePart> parts;
  for (const TileCopy& copy : copies) {
    repeats.push_back(
        {copy.tile, static_cast<u32>(parts.size()), static_cast<u32>(copy.parts.size())});
    for (const TileCopy::Part& part : copy.parts) {
      const auto byte = [](int value) { return static_cast<u8>(value); };
      parts.push_back({part.tile,
                       byte(part.from_x),
                       byte(part.from_y),
                       byte(part.x),
                       byte(part.y),
                       byte(part.width),
                       byte(part.height),
                       {}});
    }
  }
  send(repeats, copies_, "copies of tiles");
  send(parts, parts_, "parts of tiles");
  copy_count_ = static_cast<u32>(repeats.size());
}

// Into memory of its own.
template <class T>
void CudaTiles::send(const std::vector<T>& values, DeviceMemory& to, const char* what) {
  to = DeviceMemory();
  to = DeviceMemory(device_, stream_, bytes_of(values), what);
  const std::string doing = std::string("copying ") + what + " to the device";
  TESSERA_CUDA(doing, cuMemcpyHtoDAsync, to.at(), values.data(), values.size() * sizeof(T),
               stream_.get());
  stream_.synchronize(doing);
}

// Room to bring something to the device or back.
void CudaTiles::stage(std::int64_t bytes) {
  if (bytes <= staging_.bytes()) return;
  staging_ = DeviceMemory();  // the old one first
  staging_ = DeviceMemory(device_, stream_, std::max(bytes, std::int64_t{1} << 16), "transfers");
}

void CudaTiles::copy_back(void* to, CUdeviceptr from, std::int64_t bytes, const char* what) {
  const std::string doing = std::string("copying ") + what + " from the device";
  void* const at = bytes <= kHostBytes ? host_ : to;
  TESSERA_CUDA(doing, cuMemcpyDtoHAsync, at, from, static_cast<std::size_t>(bytes), stream_.get());
  stream_.synchronize(doing);
  if (at != to) std::memcpy(to, at, static_cast<std::size_t>(bytes));
}

void CudaTiles::reserve(TileId end) {
  if (static_cast<std::int64_t>(end) <= room_) {
    end_ = std::max(end_, end);
    return;
  }
  const Current current(*device_);
  const std::int64_t per_tile = bytes_for(1, places());
  // Twice as much, where that is allowed, so that growing costs little on the whole.
  const std::int64_t room =
      std::max<std::int64_t>(end, std::min(std::max(2 * room_, kFirstRoom), limit_ / per_tile));
  DeviceMemory cells(device_, stream_, room * state_bytes() * places(), "tiles");
  DeviceMemory tiles(device_, stream_, room * static_cast<std::int64_t>(sizeof(TileRecord)),
                     "neighbours of tiles");
  DeviceMemory lists[2];
  for (DeviceMemory& list : lists) list = DeviceMemory(device_, stream_, room * 4, "worklists");
  DeviceMemory missing(device_, stream_, room * static_cast<std::int64_t>(sizeof(TileNote)),
                       "missing tiles");
  DeviceMemory facts(device_, stream_, room * 2, "facts of tiles");
  const auto move = [&](DeviceMemory& from, DeviceMemory& to) {
    if (from.bytes() > 0) {
      TESSERA_CUDA("moving tiles", cuMemcpyDtoDAsync, to.at(), from.at(),
                   static_cast<std::size_t>(from.bytes()), stream_.get());
    }
    from.swap(to);
  };
  move(cells_, cells);
  move(tiles_, tiles);
  for (int i = 0; i < 2; i++) move(lists_[i], lists[i]);
  stream_.synchronize("moving tiles");
  missing_ = std::move(missing);
  facts_ = std::move(facts);
  room_ = room;
  end_ = std::max(end_, end);
}

void CudaTiles::restart(int kept, int slots) {
  const Current current(*device_);
  if (room_ > 0) {
    const TileRing from = ring();
    DeviceMemory cells;
    const bool moves = slots != slots_;
    if (moves) {
      if (bytes_for(room_, slots + 1) > limit_) {
        throw DeviceMemoryError("CUDA: a ring of " + std::to_string(slots) +
                                " states of tiles needs " +
                                memory_text(bytes_for(room_, slots + 1)) + "; " +
                                memory_text(limit_) + " is the limit");
      }
      cells = DeviceMemory(device_, stream_, room_ * state_bytes() * (slots + 1), "tiles");
    }
    TileRing to = from;
    if (moves) to.cells = cells.as<u64>();
    to.places = static_cast<u32>(slots + 1);
    to.end = static_cast<u32>(room_);
    launch(restart_, {std::min(most_blocks_, ceil_div(room_, kWarps)), kServiceThreads}, stream_,
           "restart_tiles", from, to, kept < 0 ? from.places : static_cast<u32>(kept));
    stream_.synchronize("beginning a ring of tiles");
    if (moves) cells_.swap(cells);
  }
  slots_ = slots;
  clock_ = 0;
  if (kept < 0) end_ = 1;  // no tile is known any more
  epoch_ = 1;
  seen_slot_ = -1;
  active_ = 0;
}

void CudaTiles::patch(const TilePatch& patch) {
  const Current current(*device_);
  // Rows first, because they are the widest, and all else behind them.
  const std::vector<TileRows>& rows = codes_.coded(patch.rows);
  const std::int64_t rows_bytes = bytes_of(rows);
  std::vector<u32>& words = patch_words_;
  words.clear();
  TileChanges changes{};
  const auto add = [&](const std::vector<TileId>& tiles, const u32*& at, u32& count) {
    count = static_cast<u32>(tiles.size());
    at = reinterpret_cast<const u32*>(rows_bytes + bytes_of(words));  // an offset for now
    words.insert(words.end(), tiles.begin(), tiles.end());
  };
  add(patch.linked, changes.linked, changes.linked_count);
  for (const TilePatch::Links& links : patch.links) {
    words.insert(words.end(), links.next.begin(), links.next.end());
    words.push_back(packed(links));
  }
  add(patch.drawn, changes.drawn, changes.drawn_count);
  add(patch.queued, changes.queued, changes.queued_count);
  add(patch.held, changes.held, changes.held_count);
  const std::int64_t bytes = rows_bytes + bytes_of(words);
  stage(bytes);
  for (const u32** at : {&changes.linked, &changes.drawn, &changes.queued, &changes.held}) {
    *at = reinterpret_cast<const u32*>(staging_.at() + reinterpret_cast<CUdeviceptr>(*at));
  }
  changes.rows = staging_.as<u64>();
  changes.slot = static_cast<u32>(patch.slot);
  changes.step = clock_;
  changes.hold = clock_ + patch.visit_for - 1;
  changes.epoch = epoch_;
  const auto put = [&](std::int64_t at, const void* from, std::int64_t size) {
    if (size == 0) return;
    TESSERA_CUDA("copying tiles to the device", cuMemcpyHtoDAsync,
                 staging_.at() + static_cast<CUdeviceptr>(at), from, static_cast<std::size_t>(size),
                 stream_.get());
  };
  put(0, rows.data(), rows_bytes);
  put(rows_bytes, words.data(), bytes_of(words));
  const std::int64_t items = bytes / 4;
  launch(patch_, {blocks_for(*device_, items, kServiceThreads), kServiceThreads}, stream_,
         "patch_tiles", ring(), changes);
  active_ += changes.queued_count;
  if (copy_count_ > 0) {
    // As if the step before had changed everything.
    TileLaunch before{};
    before.step = clock_ - 1;
    before.after = changes.slot;
    before.epoch = epoch_;
    launch_overlapping(renew_, renewing(), stream_, "renew_copies", ring(), before, u32{1});
  }
  // No wait: what is sent from memory of this kind has been read when the call returns.
}

bool CudaTiles::takes_from(const StepBackend& grid) const {
  const auto* const cells = dynamic_cast<const CudaBackend*>(&grid);
  return take_band_ && cells && &cells->device() == device_.get() && cells->rows_at_a_time() > 0;
}

void CudaTiles::take_from(StepBackend& grid, int slot, std::span<const TileId> tiles) {
  auto& cells = dynamic_cast<CudaBackend&>(grid);
  const Current current(*device_);
  stage(static_cast<std::int64_t>(tiles.size_bytes()));
  TESSERA_CUDA("copying tiles to the device", cuMemcpyHtoDAsync, staging_.at(), tiles.data(),
               tiles.size_bytes(), stream_.get());
  TileBand band{};
  band.tiles = staging_.as<u32>();
  band.width = grid.spec().width, band.height = grid.spec().height;
  band.row_words = ceil_div(band.width, 64);
  band.across = static_cast<u32>(ceil_div(band.width, kTileSide));
  band.down = static_cast<u32>(ceil_div(band.height, kTileSide));
  band.torus = grid.spec().boundary == Boundary::torus;
  band.slot = static_cast<u32>(slot);
  const std::int64_t most = cells.rows_at_a_time();
  for (band.first = 0; band.first < band.height; band.first += band.rows) {
    band.rows = std::min<std::int64_t>(most, band.height - band.first);
    band.words = reinterpret_cast<const u64*>(cells.rows_as_words(band.first, band.rows));
    launch(take_band_,
           {blocks_for(*device_, band.rows * band.across, kServiceThreads), kServiceThreads},
           stream_, "take_band", ring(), band);
    stream_.synchronize("taking the cells of a grid");  // its words make room for the next
  }
}

DeviceProgress CudaTiles::step(std::span<const DeviceStep> steps,
                               std::vector<MissingTiles>& missing) {
  const Current current(*device_);
  if (clock_ > kMostSteps - steps.size()) {
    throw DeviceError("CUDA: too many steps of tiles in one ring");
  }
  TESSERA_CUDA("stepping tiles", cuMemsetD8Async, control_.at() + kClearedFrom,
               static_cast<unsigned char>(0), sizeof(TileControl) - kClearedFrom, stream_.get());
  const TileRing all = ring();
  // Warps for what is active now, and for as much again; whatever there is more shares them.
  const std::int64_t blocks = std::max<std::int64_t>(16, ceil_div(2 * active_, kWarps));
  const LaunchShape shape{std::min(blocks, most_blocks_), kServiceThreads};
  TileLaunch each{};
  each.epoch = epoch_;
  for (const DeviceStep& step : steps) {
    each.step = clock_ + each.index;
    each.now = static_cast<u32>(step.now);
    each.after = static_cast<u32>(step.after);
    each.generations = static_cast<u32>(step.generations);
    each.odd = step.odd;
    launch_overlapping(step_, shape, stream_, "step_tiles", all, each);
    if (copy_count_ > 0) {
      launch_overlapping(renew_, renewing(), stream_, "renew_copies", all, each, u32{0});
    }
    each.index++;
  }
  // With the first notes of what is missing in place of shapes, so that one wait does for both.
  const std::int64_t first = std::min(kFirstNotes, room_);
  char* const first_notes = static_cast<char*>(host_) + sizeof(TileControl);
  TESSERA_CUDA("copying missing tiles from the device", cuMemcpyDtoHAsync, first_notes,
               missing_.at(), static_cast<std::size_t>(first) * sizeof(TileNote), stream_.get());
  copy_back(host_, control_.at(), sizeof(TileControl), "what steps of tiles tell");
  TileControl control;
  std::memcpy(&control, host_, sizeof control);
  DeviceProgress done;
  done.steps = control.stop > 0 ? control.stop : static_cast<std::int64_t>(steps.size());
  clock_ += static_cast<u32>(done.steps);
  done.active = control.counts[clock_ % 3];
  done.visits = static_cast<double>(control.visits);
  active_ = done.active;
  std::vector<TileNote> notes(control.missing);
  if (control.missing <= first) {
    std::memcpy(notes.data(), first_notes, notes.size() * sizeof(TileNote));
  } else {
    copy_back(notes.data(), missing_.at(), bytes_of(notes), "missing tiles");
  }
  missing.clear();
  for (const TileNote& note : notes) missing.push_back({note.tile, note.what});
  return done;
}

void CudaTiles::look_ahead(int now, int generations, bool odd) {
  const Current current(*device_);
  launch(look_ahead_, {std::min(most_blocks_, ceil_div(end_, kWarps)), kServiceThreads}, stream_,
         "look_ahead", ring(), static_cast<u32>(now), static_cast<u32>(generations),
         static_cast<u32>(odd));
}

void CudaTiles::look(int slot, bool of_all_slots, bool remember, std::vector<TileFacts>& facts) {
  const Current current(*device_);
  facts.resize(end_);
  if (room_ == 0) return;
  launch(look_, {std::min(most_blocks_, ceil_div(end_, kWarps)), kServiceThreads}, stream_,
         "look_at_tiles", ring(), static_cast<u32>(slot),
         seen_slot_ < 0 ? static_cast<u32>(places()) : static_cast<u32>(seen_slot_), epoch_, clock_,
         static_cast<u32>(of_all_slots), facts_.at());
  static_assert(sizeof(TileFacts) == sizeof(u16));
  copy_back(facts.data(), facts_.at(), bytes_of(facts), "facts of tiles");
  if (!remember) return;
  // What was looked ahead at is written over by the next such look, and nothing tells where.
  seen_slot_ = slot == slots_ ? -1 : slot;
  epoch_++;
}

void CudaTiles::get(int slot, std::span<const TileId> tiles, std::vector<TileRows>& rows) {
  const Current current(*device_);
  rows.resize(tiles.size() * static_cast<std::size_t>(codes_.own()));
  if (tiles.empty()) return;
  const std::int64_t count = static_cast<std::int64_t>(tiles.size());
  const std::int64_t rows_bytes = bytes_of(rows);
  stage(rows_bytes + count * 4);
  const CUdeviceptr numbers = staging_.at() + static_cast<CUdeviceptr>(rows_bytes);
  TESSERA_CUDA("asking for tiles", cuMemcpyHtoDAsync, numbers, tiles.data(), tiles.size_bytes(),
               stream_.get());
  launch(take_, {blocks_for(*device_, rows_bytes / 8, kServiceThreads), kServiceThreads}, stream_,
         "take_tiles", ring(), static_cast<u32>(slot), numbers, static_cast<u32>(count),
         staging_.at());
  copy_back(rows.data(), staging_.at(), rows_bytes, "tiles");
  codes_.decode(rows);
}

void CudaTiles::lone_shapes(int slot, int cells, int most, std::vector<LoneShape>& shapes) {
  const Current current(*device_);
  shapes.clear();
  if (active_ == 0 || !lone_) return;
  TESSERA_CUDA("looking for shapes", cuMemsetD8Async, control_.at() + offsetof(TileControl, shapes),
               static_cast<unsigned char>(0), sizeof(u32), stream_.get());
  launch(lone_, {std::min(ceil_div(active_, kWarps), most_blocks_), kServiceThreads}, stream_,
         "lone_shapes", ring(), clock_, static_cast<u32>(slot), static_cast<u32>(cells),
         static_cast<u32>(most));
  copy_back(host_, control_.at(), kHeadBytes, "shapes");
  TileControl control;
  std::memcpy(&control, host_, sizeof control);
  std::vector<TileNote> notes(std::min(control.shapes, kMostShapes));
  if (static_cast<std::int64_t>(notes.size()) <= kFirstNotes) {
    std::memcpy(notes.data(), static_cast<const char*>(host_) + sizeof control,
                notes.size() * sizeof(TileNote));
  } else {
    copy_back(notes.data(), control_.at() + sizeof control, bytes_of(notes), "shapes");
  }
  for (const TileNote& note : notes) {
    shapes.push_back(unpacked_shape(note.tile, note.what));
  }
  // Whoever was faster wrote first.
  std::ranges::sort(shapes, {}, &LoneShape::tile);
}

void CudaTiles::check_guards() {
  const Current current(*device_);
  for (const DeviceMemory* memory : {&cells_, &tiles_, &lists_[0], &lists_[1], &missing_, &control_,
                                     &facts_, &staging_, &copies_, &parts_, &frames_}) {
    if (memory->bytes() > 0) memory->check_guards(stream_);
  }
}

}  // namespace tessera::cuda
