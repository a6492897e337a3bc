#include "backends/vulkan/vulkan_tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "backends/vulkan/kernel_shape.h"
#include "backends/vulkan/rule_shader.h"
#include "core/base/error.h"
#include "core/base/geometry.h"
#include "core/base/memory_text.h"
#include "core/stepping/backend_spec.h"
#include "core/tiles/packed_tiles.h"

namespace tessera::vulkan {

namespace {

constexpr std::int64_t kFirstRoom = 1024;
constexpr std::uint32_t kSubgroups = 8;  // a workgroup
constexpr std::uint32_t kSteps = 128;    // a submission: the device begins while more are recorded
constexpr std::size_t kMostSets = 1024;
constexpr std::int64_t kFirstNotes = 64;  // missing tiles that arrive with the head

// Steps that are submitted together take about so long: a desktop's watchdog acts after a second.
constexpr double kBatchSeconds = 0.05;
// What to expect of a visit before the first measurement.
constexpr double kVisitSeconds = 4e-9, kSoftwareVisitSeconds = 16e-6;

constexpr std::uint32_t byte_at(int value, int byte) {
  return static_cast<std::uint32_t>(value) << 8 * byte;
}

}  // namespace

VulkanTiles::VulkanTiles(std::shared_ptr<Device> device, const BackendSpec& spec)
    : device_(std::move(device)),
      codes_(spec.rule),
      two_rules_(spec.odd_rule.has_value()),
      commands_(device_) {
  const Gpu& gpu = device_->gpu();
  const std::int64_t free = gpu.free_memory();
  limit_ = spec.max_memory > 0 ? std::min(spec.max_memory, free) : free;
  tiles_per_group_ =
      std::min({kSubgroups, gpu.max_group_size / gpu.subgroup_size, gpu.max_subgroups});
  looking_[TESSERA_SPEC_GROUP_SIZE] = tiles_per_group_ * gpu.subgroup_size;
  looking_[TESSERA_SPEC_SUBGROUP_SIZE] = gpu.subgroup_size;
  looking_[TESSERA_SPEC_BIT_PLANES] = static_cast<std::uint32_t>(codes_.own());
  stepping_ = looking_;
  if (has_one_circuit(spec)) specialize_rule(spec.rule, stepping_);
  stepper_ = device_->guarded("make a shader for tiles", [&] {
    return rule_shader(device_->pipelines(), spec, {"tiles", "tile_program", "tile_states"},
                       stepping_)
        .name;
  });
  serving_[TESSERA_SPEC_GROUP_SIZE] = TESSERA_TILES_GROUP;
  serving_[TESSERA_SPEC_BIT_PLANES] = looking_[TESSERA_SPEC_BIT_PLANES];
  transfer_ = device_->make_transfer(4 * kTransferWords);
  commands_.fill_guards(transfer_);
  device_->guarded("make descriptors", [&] { made_ = DescriptorSets(*device_, kMostSets); });
  pipeline(stepper_);  // what a driver cannot compile is known before anything is lent
}

VulkanTiles::~VulkanTiles() {
  try {
    device_->guarded("keep compiled pipelines", [&] { device_->pipelines().store(); });
  } catch (const DeviceError&) {
    // The pipelines of a lost device are not stored; the next run compiles anew.
  }
}

std::int64_t VulkanTiles::bytes_for(std::int64_t tiles, int places) const {
  // Two worklists and missing tiles take four words.
  return tiles * (state_bytes() * places + 4 * TESSERA_TILE_WORDS + 16);
}

// That one buffer can hold in a slot.
std::int64_t VulkanTiles::most_tiles() const {
  const Gpu& gpu = device_->gpu();
  return std::min(gpu.max_buffer_range, gpu.max_allocation) / state_bytes();
}

std::int64_t VulkanTiles::limit() const {
  return std::min(limit_, bytes_for(most_tiles(), places()));
}

void VulkanTiles::check_buffers(std::int64_t tiles) const {
  if (tiles <= most_tiles()) return;
  throw DeviceMemoryError(fmt::format(
      "vulkan: {}: {} tiles need buffers of {}; {} is the limit", device_->gpu().name, tiles,
      memory_text(tiles * state_bytes()), memory_text(most_tiles() * state_bytes())));
}

// Sets are kept until there are many; none is in use here.
void VulkanTiles::begin() {
  if (sets_.size() < kMostSets / 2) return;
  commands_.wait();
  sets_.clear();
  made_.clear();
}

vk::Pipeline VulkanTiles::pipeline(const std::string& shader) {
  const Specialization& values = shader == stepper_      ? stepping_
                                 : shader == "tile_host" ? serving_
                                                         : looking_;
  return device_->guarded("make a pipeline for tiles",
                          [&] { return device_->pipelines().get(shader, values); });
}

vk::DescriptorSet VulkanTiles::set(const Buffer& first, const Buffer& second, const Buffer& last) {
  const std::array<VkBuffer, Pipelines::kBindings> bound{*first.handle, *second.handle,
                                                         *records_.handle, *last.handle};
  if (const auto found = sets_.find(bound); found != sets_.end()) return found->second;
  return device_->guarded("make descriptors", [&] {
    Bound infos;
    for (std::size_t i = 0; i < infos.size(); i++) infos[i] = from_byte(bound[i]);
    const vk::DescriptorSet made = made_.add(infos);
    sets_.emplace(bound, made);
    return made;
  });
}

vk::DescriptorSet VulkanTiles::stepping_set(int now, int after) {
  return set(place(now), place(after), work_);
}

TilesParams VulkanTiles::params(std::uint32_t what) const {
  TilesParams params{};
  params.what = what;
  params.step = clock_;
  params.epoch = epoch_;
  params.end = end_;
  params.room = narrow(room_);
  params.copies = narrow(static_cast<std::int64_t>(copies_.size()) / 3);
  params.most_groups = device_->gpu().max_groups;
  params.tiles_per_group = tiles_per_group_;
  return params;
}

// One invocation per item.
void VulkanTiles::on_host_items(const TilesParams& params, vk::DescriptorSet set) {
  commands_.barrier_to_all();
  commands_.dispatch(pipeline("tile_host"), set, params,
                     ceil_div(std::int64_t{params.count}, TESSERA_TILES_GROUP));
}

// Another buffer in the place of one that nothing uses any more, once the device is done.
void VulkanTiles::replace(Buffer& buffer, Buffer next) {
  commands_.barrier_to_all();
  commands_.wait();
  std::swap(buffer, next);
  sets_.clear();
  made_.clear();
}

// The same content, and zeros behind it.
void VulkanTiles::grow(Buffer& buffer, std::int64_t bytes) {
  if (buffer.bytes >= bytes) return;
  Buffer next = device_->make_work(bytes);
  commands_.fill_guards(next);
  commands_.barrier_to_all();
  commands_.copy(buffer, 0, next, 0, buffer.bytes);
  commands_.fill_zero(next, buffer.bytes, bytes - buffer.bytes);
  replace(buffer, std::move(next));
}

// A work buffer with the same worklists, and perhaps other copies.
Buffer VulkanTiles::work_for(std::int64_t room, const std::vector<std::uint32_t>& copies,
                             const std::vector<std::uint32_t>& parts) {
  const std::int64_t behind = TESSERA_WORK_LISTS + 4 * room;
  const std::int64_t all =
      behind + static_cast<std::int64_t>(copies.size()) + static_cast<std::int64_t>(parts.size());
  if (4 * all > std::min(device_->gpu().max_buffer_range, device_->gpu().max_allocation)) {
    throw DeviceMemoryError(fmt::format(
        "vulkan: {}: copies of tiles along the seam of a torus need a buffer of {}; {} is the "
        "limit",
        device_->gpu().name, memory_text(4 * all), memory_text(device_->gpu().max_buffer_range)));
  }
  Buffer next = device_->make_work(4 * all);
  commands_.fill_guards(next);
  commands_.barrier_to_all();
  if (work_.bytes > 0) {
    commands_.copy(work_, 0, next, 0, 4 * TESSERA_WORK_HEAD);
    for (std::int64_t list = 0; list < 2; list++) {
      commands_.copy(work_, 4 * (TESSERA_WORK_LISTS + list * room_), next,
                     4 * (TESSERA_WORK_LISTS + list * room), 4 * room_);
    }
  } else {
    std::vector<std::uint32_t> head(TESSERA_WORK_HEAD, 0);
    for (std::size_t i = 0; i < 12; i++) head[i] = i % 4 != 3;
    commands_.write(next, 0, head);
  }
  commands_.write(next, 4 * TESSERA_WORK_FRAMES, frames_);
  commands_.write(next, 4 * behind, copies);
  commands_.write(next, 4 * (behind + static_cast<std::int64_t>(copies.size())), parts);
  return next;
}

void VulkanTiles::set_frames(const std::vector<TileFrame>& frames) {
  begin();
  frames_.clear();
  for (const TileFrame& frame : frames) frames_.push_back(packed(frame));
  if (frames_.size() > TESSERA_MOST_FRAMES) throw DeviceError("vulkan: too many frames of tiles");
  if (work_.bytes > 0) replace(work_, work_for(room_, copies_, parts_));
}

void VulkanTiles::set_copies(const std::vector<TileCopy>& copies) {
  if (copies.empty()) {  // what stands in the work buffer is read no more
    copies_.clear();
    parts_.clear();
    return;
  }
  begin();
  std::vector<std::uint32_t> repeats, parts;
  for (const TileCopy& copy : copies) {
    repeats.push_back(copy.tile);
    repeats.push_back(narrow(static_cast<std::int64_t>(parts.size()) / 3));
    repeats.push_back(static_cast<std::uint32_t>(copy.parts.size()));
    for (const TileCopy::Part& part : copy.parts) {
      parts.push_back(part.tile);
      parts.push_back(byte_at(part.from_x, 0) | byte_at(part.from_y, 1) | byte_at(part.x, 2) |
                      byte_at(part.y, 3));
      parts.push_back(byte_at(part.width, 0) | byte_at(part.height, 1));
    }
  }
  replace(work_, work_for(room_, repeats, parts));
  copies_ = std::move(repeats);
  parts_ = std::move(parts);
}

void VulkanTiles::reserve(TileId end) {
  if (static_cast<std::int64_t>(end) <= room_) {
    end_ = std::max(end_, end);
    return;
  }
  begin();
  check_buffers(end);
  // Twice as much, where that is allowed, so that growing costs little on the whole.
  const std::int64_t room = std::max<std::int64_t>(
      end, std::min(std::max(2 * room_, kFirstRoom), limit() / bytes_per_tile()));
  // One after the other, so that only one of them is there twice. When one fails, those before it
  // are merely larger than they need be.
  places_.resize(static_cast<std::size_t>(places()));
  for (Buffer& states : places_) grow(states, room * state_bytes());
  grow(records_, room * 4 * TESSERA_TILE_WORDS);
  replace(work_, work_for(room, copies_, parts_));
  room_ = room;
  end_ = std::max(end_, end);
}

void VulkanTiles::restart(int kept, int slots) {
  begin();
  if (room_ > 0) {
    if (const std::int64_t bytes = bytes_for(room_, slots + 1); bytes > limit_) {
      throw DeviceMemoryError(
          fmt::format("vulkan: {}: a ring of {} states of tiles needs {}; {} is "
                      "the limit",
                      device_->gpu().name, slots, memory_text(bytes), memory_text(limit_)));
    }
    std::vector<Buffer> more;
    for (int n = places(); n < slots + 1; n++) {
      more.push_back(device_->make_work(room_ * state_bytes()));
    }
    for (const Buffer& states : more) commands_.fill_guards(states);
    commands_.wait();
    if (kept > 0) std::swap(places_[0], places_[static_cast<std::size_t>(kept)]);
    places_.resize(static_cast<std::size_t>(std::min(places(), slots + 1)));
    for (Buffer& states : more) places_.push_back(std::move(states));
    sets_.clear();
    made_.clear();
    commands_.barrier_to_all();
    for (std::size_t k = kept < 0 ? 0 : 1; k < places_.size(); k++) {
      commands_.fill_zero(places_[k], 0, room_ * state_bytes());
    }
    const std::uint32_t sizes[] = {1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0};
    commands_.write(work_, 0, sizes);
    TilesParams begins = params(TESSERA_TILES_BEGIN);
    begins.count = narrow(room_);
    on_host_items(begins, set(work_, place(0), transfer_));
    commands_.wait();
  }
  slots_ = slots;
  clock_ = 0;
  if (kept < 0) end_ = 1;  // no tile is known any more
  epoch_ = 1;
  seen_slot_ = -1;
  active_ = 0;
}

void VulkanTiles::dispatch_copies(const TilesParams& params, int after) {
  commands_.dispatch(pipeline("tile_copies"), stepping_set(after, after), params,
                     ceil_div(std::int64_t{params.copies}, std::int64_t{tiles_per_group_}));
}

// As many of them as take kBatchSeconds, at least one.
std::span<const DeviceStep> VulkanTiles::soon_done(std::span<const DeviceStep> steps) const {
  const double visit = device_->gpu().software() ? kSoftwareVisitSeconds : kVisitSeconds;
  const double expected =
      step_seconds_ > 0 ? step_seconds_ : visit * static_cast<double>(active_ + 1);
  const double most = std::max(1.0, kBatchSeconds / expected);
  return most < static_cast<double>(steps.size()) ? steps.first(static_cast<std::size_t>(most))
                                                  : steps;
}

DeviceProgress VulkanTiles::step(std::span<const DeviceStep> all,
                                 std::vector<MissingTiles>& missing) {
  begin();
  missing.clear();
  const std::span<const DeviceStep> steps = soon_done(all);
  if (clock_ > kMostSteps - steps.size()) {
    throw DeviceError("vulkan: too many steps of tiles in one ring");
  }
  const vk::Pipeline stepping = pipeline(stepper_);
  commands_.wait();
  const auto started = std::chrono::steady_clock::now();
  commands_.barrier_to_all();
  commands_.fill_zero(work_, 4 * TESSERA_WORK_STOP, 4 * (TESSERA_WORK_HEAD - TESSERA_WORK_STOP));
  TilesParams each = params(TESSERA_TILES_STEP);
  for (const DeviceStep& step : steps) {
    each.step = clock_ + each.index;
    each.generations = static_cast<std::uint32_t>(step.generations);
    each.odd = step.odd;
    each.what = TESSERA_TILES_STEP;
    commands_.barrier_to_sizes();
    commands_.dispatch_sized(stepping, stepping_set(step.now, step.after), each, work_,
                             std::int64_t{each.step % 3} * 16);
    if (!copies_.empty()) {
      each.what = TESSERA_TILES_RENEW;
      commands_.barrier();
      dispatch_copies(each, step.after);
    }
    if (++each.index % kSteps == 0) commands_.submit();
  }
  const std::int64_t notes_at = TESSERA_WORK_LISTS + 2 * room_;
  const std::int64_t first_notes = std::min(kFirstNotes, room_);
  commands_.barrier_to_all();
  commands_.copy(work_, 0, transfer_, 0, 4 * TESSERA_WORK_HEAD);
  commands_.copy(work_, 4 * notes_at, transfer_, 4 * TESSERA_WORK_HEAD, 8 * first_notes);
  commands_.barrier_to_all();
  commands_.wait();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  const std::uint32_t* const head = transferred();
  DeviceProgress done;
  done.steps = head[TESSERA_WORK_STOP] > 0 ? head[TESSERA_WORK_STOP]
                                           : static_cast<std::int64_t>(steps.size());
  step_seconds_ = took.count() / static_cast<double>(done.steps);
  clock_ += narrow(done.steps);
  active_ = done.active = head[clock_ % 3 * 4 + 3];
  done.visits = static_cast<double>(head[TESSERA_WORK_VISITS] |
                                    std::uint64_t{head[TESSERA_WORK_VISITS + 1]} << 32);
  std::vector<std::uint32_t> notes(2 * std::size_t{head[TESSERA_WORK_MISSING]});
  if (static_cast<std::int64_t>(notes.size()) <= 2 * first_notes) {
    std::copy_n(head + TESSERA_WORK_HEAD, notes.size(), notes.begin());
  } else {
    read_work(notes_at, static_cast<std::int64_t>(notes.size()), notes.data());
  }
  for (std::size_t n = 0; n < notes.size(); n += 2) missing.push_back({notes[n], notes[n + 1]});
  return done;
}

void VulkanTiles::look_ahead(int now, int generations, bool odd) {
  if (room_ == 0) return;
  begin();
  TilesParams ahead = params(TESSERA_TILES_AHEAD);
  ahead.generations = static_cast<std::uint32_t>(generations);
  ahead.odd = odd;
  commands_.barrier_to_all();
  commands_.dispatch(pipeline(stepper_), stepping_set(now, slots_), ahead,
                     ceil_div(std::int64_t{end_}, std::int64_t{tiles_per_group_}));
  commands_.submit();
}

void VulkanTiles::check_guards() {
  std::vector<const Buffer*> buffers{&transfer_, &records_, &work_};
  for (const Buffer& states : places_) buffers.push_back(&states);
  std::int64_t largest = 4;
  for (const Buffer* buffer : buffers) {
    for (const Buffer::Guard& guard : buffer->guards) largest = std::max(largest, guard.bytes);
  }
  const Buffer seen = device_->make_transfer(largest);
  for (const Buffer* buffer : buffers) {
    if (commands_.guards_untouched(*buffer, seen)) continue;
    throw DeviceError("vulkan: a kernel of tiles wrote around a buffer of " +
                      std::to_string(buffer->bytes) + " bytes; this is a defect of the kernel");
  }
}

}  // namespace tessera::vulkan
