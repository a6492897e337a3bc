#include "backends/vulkan/vulkan_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "backends/vulkan/chunks.h"
#include "backends/vulkan/kernel_shape.h"
#include "backends/vulkan/submission_time.h"
#include "core/base/error.h"
#include "core/base/geometry.h"
#include "core/base/memory_text.h"

namespace tessera::vulkan {

namespace {

constexpr std::int64_t kBatchGroup = TESSERA_BATCH_GROUP;
// Generations of a dispatch of whole, and dispatches of a submission.
constexpr std::int64_t kMostGenerations = 2048;
constexpr std::int64_t kMostDispatches = 1024;
// Tiles that keep the largest devices busy to the end of a dispatch.
constexpr std::int64_t kManyTiles = 16384;

constexpr std::uint32_t narrow(std::int64_t n) { return static_cast<std::uint32_t>(n); }

// Cells that the words of a tile have room for.
std::int64_t tile_cells(const BatchPlan& plan, const BatchPart& part) {
  return 32 * part.fit.rows * part.fit.columns * plan.all_lanes;
}

// Invocations of sliced that step a part.
std::int64_t sliced_items(const BatchPlan& plan, const BatchPart& part) {
  return part.fit.tiles * ceil_div(part.fit.rows, std::int64_t{TESSERA_BATCH_SLICED_ROWS}) *
         part.fit.columns * plan.all_lanes;
}

}  // namespace

VulkanBatch::VulkanBatch(std::shared_ptr<Device> device, const BatchSpec& spec, BatchInfo info,
                         BatchPlan plan)
    : Batch(spec, std::move(info)),
      device_(std::move(device)),
      plan_(std::move(plan)),
      commands_(device_) {
  transfer_ = device_->make_transfer(plan_.transfer);
  commands_.fill_guards(transfer_);
  make_places();
  device_->guarded("make descriptors", [&] { make_sets(); });
  device_->guarded("make the pipelines of kernel " + plan_.kernel(), [&] { make_pipelines(); });
}

VulkanBatch::~VulkanBatch() {
  try {
    device_->guarded("keep compiled pipelines", [&] { device_->pipelines().store(); });
  } catch (const DeviceError&) {
    // The pipelines of a lost device are not stored; the next run compiles anew.
  }
}

void VulkanBatch::make_places() {
  for (const BatchPart& part : plan_.parts) {
    Place place;
    for (int i = 0; i < (plan_.whole ? 1 : 2); i++) {
      place.buffers[i] = device_->make_cells(part.bytes);
      commands_.fill_zero(place.buffers[i]);
      commands_.fill_guards(place.buffers[i]);
    }
    places_.push_back(std::move(place));
  }
  commands_.submit();
}

void VulkanBatch::make_sets() {
  const std::uint32_t buffers = plan_.whole ? 1 : 2;
  sets_ = DescriptorSets(*device_, static_cast<std::uint32_t>(2 * buffers * places_.size()));
  const auto bind = [&](const Buffer& own, const Buffer& out) {
    Bound bound;
    bound.fill(from_byte(*own.handle));
    bound[TESSERA_BIND_OUT] = from_byte(*out.handle);
    return sets_.add(bound);
  };
  for (Place& place : places_) {
    for (std::uint32_t i = 0; i < buffers; i++) {
      place.step[i] = bind(place.buffers[i], place.buffers[buffers - 1 - i]);
      place.move[i] = bind(place.buffers[i], transfer_);
    }
  }
}

void VulkanBatch::make_pipelines() {
  const gpu::BatchFit& fit = plan_.parts.front().fit;
  Specialization moving{};
  moving[TESSERA_SPEC_GROUP_SIZE] = narrow(kBatchGroup);
  moving[TESSERA_SPEC_LANES] = narrow(fit.lanes);
  moving[TESSERA_SPEC_SUBGROUPS] = narrow(fit.group);
  moving[TESSERA_SPEC_PER_WORD] = narrow(fit.per_word);
  move_ = device_->pipelines().get("batch_cells", moving);
  Specialization stepping{};
  stepping[TESSERA_SPEC_GROUP_SIZE] = narrow(kBatchGroup);
  if (plan_.whole) {
    stepping = moving;
    stepping[TESSERA_SPEC_GROUP_SIZE] = plan_.group_tiles * plan_.all_lanes;
    stepping[TESSERA_SPEC_SUBGROUP_SIZE] = plan_.all_lanes;
    stepping[TESSERA_SPEC_WORDS] = narrow(fit.columns);
    stepping[TESSERA_SPEC_ROWS] = narrow(fit.rows);
  }
  stepping[TESSERA_SPEC_PLANE] = spec().each.boundary == Boundary::plane;
  specialize_rule(spec().each.rule, stepping);
  step_ = device_->pipelines().get(plan_.kernel(), stepping);
}

void VulkanBatch::check_guards() {
  std::vector<const Buffer*> buffers{&transfer_};
  std::int64_t largest = 4;
  for (const Place& place : places_)
    for (const Buffer& buffer : place.buffers) buffers.push_back(&buffer);
  for (const Buffer* buffer : buffers)
    for (const Buffer::Guard& guard : buffer->guards) largest = std::max(largest, guard.bytes);
  const Buffer seen = device_->make_transfer(largest);
  for (const Buffer* buffer : buffers) {
    if (commands_.guards_untouched(*buffer, seen)) continue;
    throw DeviceError("vulkan: a kernel of batches wrote around a buffer of " +
                      std::to_string(buffer->bytes) + " bytes; this is a defect of the kernel");
  }
}

BatchParams VulkanBatch::params_of(const BatchPart& part) const {
  BatchParams params{};
  params.width = narrow(spec().each.width);
  params.height = narrow(spec().each.height);
  params.row_words = narrow(2 * ceil_div(spec().each.width, std::int64_t{64}));
  params.columns = narrow(part.fit.columns);
  params.rows = narrow(part.fit.rows);
  params.all_lanes = plan_.all_lanes;
  params.sets = narrow(part.fit.sets);
  return params;
}

// Some universes of a part at a time, of its own numbers, whose canonical words the transfer buffer
// holds.
void VulkanBatch::for_each_slice(
    const std::function<void(std::size_t, std::int64_t, std::int64_t)>& body) const {
  const std::int64_t some = plan_.transfer / (batch_bytes(spec()) / universes());
  for (std::size_t part = 0; part < plan_.parts.size(); part++) {
    const std::int64_t all = plan_.parts[part].universes;
    for (std::int64_t first = 0; first < all; first += some)
      body(part, first, std::min(all, first + some));
  }
}

// The transfer buffer's universes become those of the words that have cells of them.
void VulkanBatch::pack(std::size_t part, std::int64_t first, std::int64_t end) {
  const gpu::BatchFit& fit = plan_.parts[part].fit;
  const std::int64_t unit = fit.sets * fit.per_word;  // universes that lie in the same tiles
  const std::int64_t words = fit.group * fit.rows * fit.columns * plan_.all_lanes;
  const std::int64_t first_unit = first / unit, end_unit = ceil_div(end, unit);
  BatchParams params = params_of(plan_.parts[part]);
  params.first = narrow(first);
  params.end = narrow(end);
  params.first_word = narrow(first_unit * words);
  params.items = narrow((end_unit - first_unit) * words);
  params.what = TESSERA_BATCH_PACK;
  commands_.barrier();
  const Place& place = places_[part];
  commands_.dispatch(move_, place.move[place.present], params, ceil_div(params.items, kBatchGroup));
  commands_.wait();
}

void VulkanBatch::unpack(std::size_t part, std::int64_t first, std::int64_t end) {
  BatchParams params = params_of(plan_.parts[part]);
  params.first = narrow(first);
  params.end = narrow(end);
  params.items = narrow((end - first) * params.height * params.row_words);
  params.what = TESSERA_BATCH_UNPACK;
  commands_.barrier();
  const Place& place = places_[part];
  commands_.dispatch(move_, place.move[place.present], params, ceil_div(params.items, kBatchGroup));
  commands_.barrier_to_host();
  commands_.wait();
}

// Universe `index` of those in the transfer buffer.
CellGrid VulkanBatch::staged(std::int64_t index) const {
  BitGrid out(spec().each.width, spec().each.height);
  const std::size_t bytes = out.words().size_bytes();
  std::memcpy(out.words().data(),
              static_cast<const char*>(transfer_.mapped) + static_cast<std::size_t>(index) * bytes,
              bytes);
  return out;
}

void VulkanBatch::do_load(const CellsOf& cells) {
  commands_.wait();
  for_each_slice([&](std::size_t part, std::int64_t first, std::int64_t end) {
    auto* to = static_cast<char*>(transfer_.mapped);
    for (std::int64_t u = first; u < end; u++) {
      const CellGrid own = checked(cells, plan_.parts[part].first + u);
      const auto words = own.plane(0).words();
      std::memcpy(to, words.data(), words.size_bytes());
      to += words.size_bytes();
    }
    pack(part, first, end);
  });
}

// Of a submission, as units of so many cells.
std::int64_t VulkanBatch::budget(std::int64_t item_cells) const {
  const double cells = submission_cells(commands_, device_->gpu().software(), 1);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(cells) / item_cells);
}

// Submits what is recorded where so many cell updates more would make it too long.
void VulkanBatch::make_room(std::int64_t cells) {
  if (submission_cells_ > 0 &&
      (submission_cells_ + cells > budget(1) || submission_launches_ >= kMostDispatches)) {
    commands_.submit();
    submission_cells_ = submission_launches_ = 0;
  }
  if (submission_cells_ == 0) commands_.begin_timed(0);
  commands_.add_work(static_cast<double>(cells));
  submission_cells_ += cells;
  submission_launches_++;
}

// As many tiles at a time as keep the device busy; those take all generations before the next, so
// that many are a dispatch.
void VulkanBatch::step_whole(std::size_t n, std::int64_t generations) {
  const BatchPart& part = plan_.parts[n];
  const std::int64_t cells = tile_cells(plan_, part), group = plan_.group_tiles;
  BatchParams params = params_of(part);
  for (std::int64_t tile = 0; tile < part.fit.tiles;) {
    std::int64_t take = std::min(kManyTiles, budget(cells)) / group * group;
    take = std::min(std::max(take, group), part.fit.tiles - tile);
    params.first = narrow(tile);
    params.end = narrow(tile + take);
    for (std::int64_t left = generations; left > 0;) {
      const std::int64_t now =
          std::clamp<std::int64_t>(budget(cells * take), 1, std::min(left, kMostGenerations));
      make_room(now * take * cells);
      params.generations = narrow(now);
      commands_.barrier();
      commands_.dispatch(step_, places_[n].step[0], params, ceil_div(take, group));
      left -= now;
    }
    tile += take;
  }
}

void VulkanBatch::step_sliced(std::size_t n, std::int64_t generations) {
  const BatchPart& part = plan_.parts[n];
  Place& place = places_[n];
  const std::int64_t items = sliced_items(plan_, part), groups = ceil_div(items, kBatchGroup);
  const std::int64_t cells = kBatchGroup * 32 * TESSERA_BATCH_SLICED_ROWS;  // of a workgroup
  BatchParams params = params_of(part);
  params.items = narrow(items);
  for (; generations > 0; generations--) {
    for (std::int64_t first = 0; first < groups;) {
      const std::int64_t take = std::min(budget(cells), groups - first);
      make_room(take * cells);
      params.first = narrow(first);
      params.end = narrow(first + take);
      if (first == 0) commands_.barrier();
      commands_.dispatch(step_, place.step[place.present], params, take);
      first += take;
    }
    place.present = 1 - place.present;
  }
}

void VulkanBatch::do_step(std::int64_t generations, bool) {
  submission_cells_ = submission_launches_ = 0;
  for (std::size_t part = 0; part < places_.size(); part++) {
    if (plan_.whole) {
      step_whole(part, generations);
    } else {
      step_sliced(part, generations);
    }
  }
  commands_.submit();
}

std::optional<double> VulkanBatch::do_device_seconds() {
  commands_.wait();
  if (device_->gpu().timestamp_bits == 0) return std::nullopt;
  return commands_.seconds();
}

CellGrid VulkanBatch::do_download(std::int64_t universe) {
  const std::int64_t a_part = plan_.parts.front().universes;  // but of the last, which has fewer
  unpack(static_cast<std::size_t>(universe / a_part), universe % a_part, universe % a_part + 1);
  return staged(0);
}

std::vector<Survey> VulkanBatch::do_survey(SurveyParts parts) {
  std::vector<Survey> out;
  out.reserve(static_cast<std::size_t>(universes()));
  const std::int64_t words = ceil_div(spec().each.width, std::int64_t{64});
  for_each_slice([&](std::size_t part, std::int64_t first, std::int64_t end) {
    unpack(part, first, end);
    const auto* word = static_cast<const std::uint64_t*>(transfer_.mapped);
    for (std::int64_t u = first; u < end; u++) {
      Survey& found = out.emplace_back();
      for (std::int64_t y = 0; y < spec().each.height; y++)
        for (std::int64_t i = 0; i < words; i++)
          survey_word(found, parts, *word++, 64 * i, y, i, y);
    }
  });
  return out;
}

}  // namespace tessera::vulkan

namespace tessera {

using namespace vulkan;

std::optional<std::string> vulkan_batch_unsupported(int device, const BatchSpec& spec,
                                                    const std::string& kernel) {
  if (auto why = gpu::batch_refused("vulkan", spec.each, kernel)) return why;
  if (!spec.each.rule.outer_totalistic())
    return "batches of vulkan are stepped under rules that count all eight neighbours, as B3/S23";
  const Gpus& gpus = Gpus::get();
  const auto index = static_cast<std::size_t>(device);
  if (device < 0 || index >= gpus.list.size())
    return gpus.list.empty() ? "vulkan: " + gpus.missing : "vulkan: there is no such device";
  const Gpu& gpu = gpus.list[index];
  if (!gpu.missing.empty()) return "vulkan: " + gpu.name + ": " + gpu.missing;
  const BatchPlan plan = plan_batch(gpu, spec, kernel, {}, largest_chunk(gpu));
  if (!plan.problem.empty()) return "vulkan: " + gpu.name + ": " + plan.problem;
  return std::nullopt;
}

std::unique_ptr<Batch> make_vulkan_batch(int device, const BatchSpec& spec,
                                         const std::string& kernel, const Tuning& tuning) {
  if (const auto why = vulkan_batch_unsupported(device, spec, kernel)) throw UnsupportedError(*why);
  const Gpu& gpu = Gpus::get().list[static_cast<std::size_t>(device)];
  BatchPlan plan = plan_batch(gpu, spec, kernel, tuning, largest_chunk(gpu));
  if (!plan.problem.empty()) throw UnsupportedError("vulkan: " + gpu.name + ": " + plan.problem);
  const std::int64_t free = gpu.free_memory();
  const std::int64_t limit = spec.each.max_memory > 0 ? std::min(spec.each.max_memory, free) : free;
  if (plan.bytes > limit) {
    throw UnsupportedError(fmt::format(
        "vulkan: {}: {} universes of {}x{} cells need {} with kernel {}; {} {}", gpu.name,
        spec.universes, spec.each.width, spec.each.height, memory_text(plan.bytes), plan.kernel(),
        memory_text(limit), limit == free ? "of device memory are free" : "is the limit"));
  }
  const Tuning own = plan.whole ? plan.parts.front().fit.tuning() : Tuning{};
  const BatchInfo info{BackendInfo{"vulkan", gpu.name, plan.kernel(), own}, plan.packing()};
  return std::make_unique<VulkanBatch>(Device::get(device), spec, info, std::move(plan));
}

}  // namespace tessera
