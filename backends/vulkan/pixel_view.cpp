#include "backends/vulkan/pixel_view.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/base/geometry.h"

namespace tessera::vulkan {

namespace {

static_assert(TESSERA_AGE_MOST == AgeMap::kMost && TESSERA_AGE_TRAIL == AgeMap::kTrail);

// Pixels that room is made for, whole words of bytes.
std::int64_t room_for(const PixelSpans& pixels) {
  return ceil_div(gpu::PictureSize::of(pixels).with_spare().pixels(), 4) * 4;
}

std::int64_t plan_bytes(const gpu::PictureSize& size) {
  return 4 * (3 * size.spans() + ceil_div(static_cast<std::int64_t>(AgeMap::colours().size()), 4));
}

// See shaders/pixels.comp.
std::vector<std::uint32_t> plan_of(const PixelSpans& pixels) {
  std::vector<std::uint32_t> plan;
  for (const auto* spans : {&pixels.columns, &pixels.rows}) {
    for (const PixelSpan& span : *spans) {
      plan.insert(plan.end(), {span.first, span.count, span.side});
    }
  }
  const auto& colours = AgeMap::colours();
  for (std::size_t i = 0; i < colours.size(); i++) {
    if (i % 4 == 0) plan.push_back(0);
    plan.back() |= std::uint32_t{colours[i]} << (8 * (i % 4));
  }
  return plan;
}

}  // namespace

bool PixelView::fits(const Gpu& gpu, const PixelSpans& pixels) {
  return 4 * room_for(pixels) <= largest_chunk(gpu);
}

PixelView::PixelView(std::shared_ptr<Device> device, Commands& commands, const CellsView& cells,
                     const int& present, const PixelSpans& pixels)
    : device_(std::move(device)),
      commands_(commands),
      present_(present),
      stride_(static_cast<std::uint32_t>(cells.plan->stride)),
      bit_plane_(bit_plane_words(cells.plan->chunks.front(), *cells.shape)),
      first_byte_(first_byte(*cells.plan, *cells.shape)) {
  const std::int64_t room = room_for(pixels);
  const std::int64_t plan = plan_bytes(gpu::PictureSize::of(pixels).with_spare());
  ages_ = device_->make_cells(4 * room);
  plan_ = device_->make_cells(plan);
  transfer_ = device_->make_transfer(std::max(2 * room, plan));
  for (const Buffer* buffer : buffers()) commands_.fill_guards(*buffer);
  Specialization values{};
  values[TESSERA_SPEC_GROUP_SIZE] = TESSERA_PIXELS_GROUP;
  cells.shape->specialize_layout(values);
  const bool wide = cells.shape->kernel == "sums";
  pipeline_ = device_->guarded("make a pipeline", [&] {
    return device_->pipelines().get(wide ? "wide_pixels" : "pixels", values);
  });
  const Chunk& chunk = cells.chunks->front();
  cells_ = {*chunk.buffers[0].handle, *chunk.buffers[1].handle};
  device_->guarded("make descriptors",
                   [&] { sets_ = make_sets(pool_, std::array{from_byte(*transfer_.handle)}); });
}

PixelView::~PixelView() {
  try {
    commands_.wait();
  } catch (const DeviceError&) {
    // Nothing runs any more on a device that was lost.
  }
}

// Two sets for each place that is written to, one for each buffer of cells.
std::vector<vk::DescriptorSet> PixelView::make_sets(
    DescriptorSets& made, std::span<const vk::DescriptorBufferInfo> outs) {
  made = DescriptorSets(*device_, static_cast<std::uint32_t>(cells_.size() * outs.size()));
  std::vector<vk::DescriptorSet> sets;
  for (const vk::DescriptorBufferInfo& out : outs) {
    for (const vk::Buffer cells : cells_) {
      Bound bound;
      bound[TESSERA_BIND_OWN] = from_byte(cells, first_byte_);
      bound[TESSERA_BIND_AGES] = from_byte(*ages_.handle);
      bound[TESSERA_BIND_PLAN] = from_byte(*plan_.handle);
      bound[TESSERA_BIND_OUT] = out;
      sets.push_back(made.add(bound));
    }
  }
  return sets;
}

// Made when first needed, because most backends never draw.
void PixelView::make_slots() {
  try {
    slots_.emplace(*device_, ages_.bytes / 4);
  } catch (const DeviceLostError&) {
    throw;
  } catch (const DeviceError&) {
    no_slots_ = true;  // pictures go through the host
    return;
  }
  std::vector<vk::DescriptorBufferInfo> outs;
  for (std::size_t slot = 0; slot < SharedSlots::kCount; slot++) {
    outs.emplace_back(*slots_->buffer().handle, static_cast<vk::DeviceSize>(slots_->offset(slot)),
                      static_cast<vk::DeviceSize>(slots_->bytes()));
  }
  device_->guarded("make descriptors", [&] { slot_sets_ = make_sets(slot_pool_, outs); });
}

bool PixelView::holds(const PixelSpans& pixels) const {
  const auto size = gpu::PictureSize::of(pixels);
  return 4 * size.pixels() <= ages_.bytes && plan_bytes(size) <= plan_.bytes;
}

void PixelView::run(std::uint32_t what, vk::DescriptorSet set, std::int64_t items,
                    int generations) {
  PixelsParams params{};
  params.what = what;
  params.stride = stride_;
  params.bit_plane = bit_plane_;
  params.columns = static_cast<std::uint32_t>(size_.columns);
  params.rows = static_cast<std::uint32_t>(size_.rows);
  params.generations = static_cast<std::uint32_t>(generations);
  params.items = static_cast<std::uint32_t>(items);
  commands_.barrier();
  commands_.dispatch(pipeline_, set, params, ceil_div(items, TESSERA_PIXELS_GROUP));
}

void PixelView::aim(const PixelSpans& pixels) {
  if (pixels == pixels_) return;
  pixels_ = pixels;
  size_ = gpu::PictureSize::of(pixels);
  const std::vector<std::uint32_t> plan = plan_of(pixels);
  std::memcpy(transfer_.mapped, plan.data(), 4 * plan.size());
  run(TESSERA_PIXELS_PLAN, sets_[0], static_cast<std::int64_t>(plan.size()));
  commands_.wait();
}

void PixelView::put_ages(const std::vector<std::int16_t>& ages) {
  std::memcpy(transfer_.mapped, ages.data(), 2 * ages.size());
  run(TESSERA_PIXELS_PUT, sets_[0], size_.pixels());
  commands_.wait();
}

void PixelView::take_ages(std::vector<std::int16_t>& ages) {
  run(TESSERA_PIXELS_TAKE, sets_[0], size_.pixels());
  commands_.barrier_to_host();
  commands_.wait();
  std::memcpy(ages.data(), transfer_.mapped, 2 * ages.size());
}

void PixelView::add_ages(int generations) {
  run(TESSERA_PIXELS_ADD, sets_[present()], size_.pixels(), generations);
  commands_.submit();
}

void PixelView::begin(std::uint32_t what, const std::optional<DeviceIdentity>& sharing) {
  const bool share = device_->gpu().exports && sharing == device_->gpu().identity;
  if (share && !slots_ && !no_slots_) make_slots();
  const std::optional<std::size_t> slot = share && slots_ ? slots_->find() : std::nullopt;
  if (slot) {
    slot_ = slots_->picture(*slot);
    run(what, slot_sets_[2 * *slot + present()], size_.pixels());
    commands_.release(slots_->buffer(), slots_->offset(*slot), slots_->bytes());
  } else {
    slot_.reset();
    run(what, sets_[present()], size_.pixels());
    commands_.barrier_to_host();
  }
  commands_.submit();
  submission_ = commands_.submissions();
}

std::shared_ptr<const SharedPicture> PixelView::end(DensityImage& image) {
  commands_.wait_for(submission_);
  if (!slot_) std::memcpy(image.pixels.data(), transfer_.mapped, image.pixels.size());
  return std::exchange(slot_, nullptr);
}

}  // namespace tessera::vulkan
