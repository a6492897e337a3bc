#include "backends/vulkan/pixel_view.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/base/geometry.h"

namespace tessera::vulkan {

namespace {

// Columns and rows more than asked for: a view that moves shows now one more, now one less.
constexpr std::int64_t kSpare = 16;
static_assert(TESSERA_AGE_MOST == AgeMap::kMost && TESSERA_AGE_TRAIL == AgeMap::kTrail);

std::int64_t columns_of(const PixelSpans& pixels) {
  return static_cast<std::int64_t>(pixels.columns.size());
}
std::int64_t rows_of(const PixelSpans& pixels) {
  return static_cast<std::int64_t>(pixels.rows.size());
}

std::int64_t room(const PixelSpans& pixels) {
  return ceil_div((columns_of(pixels) + kSpare) * (rows_of(pixels) + kSpare), 4) * 4;
}

std::int64_t plan_words(std::int64_t spans) {
  return 3 * spans + ceil_div(static_cast<std::int64_t>(AgeMap::colours().size()), 4);
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
  return 4 * room(pixels) <= largest_chunk(gpu);
}

PixelView::PixelView(std::shared_ptr<Device> device, Commands& commands, const CellsView& cells,
                     const PixelSpans& pixels)
    : device_(std::move(device)),
      commands_(commands),
      stride_(static_cast<std::uint32_t>(cells.plan->stride)) {
  const std::int64_t plan = 4 * plan_words(columns_of(pixels) + rows_of(pixels) + 2 * kSpare);
  ages_ = device_->make_cells(4 * room(pixels));
  plan_ = device_->make_cells(plan);
  transfer_ = device_->make_transfer(std::max(2 * room(pixels), plan));
  for (const Buffer* buffer : buffers()) commands_.fill_guards(*buffer);
  Specialization values{};
  values[TESSERA_SPEC_GROUP_SIZE] = TESSERA_PIXELS_GROUP;
  cells.shape->specialize_layout(values);
  pipeline_ = device_->guarded("make a pipeline",
                               [&] { return device_->pipelines().get("pixels", values); });
  const Chunk& chunk = cells.chunks->front();
  cells_ = {*chunk.buffers[0].handle, *chunk.buffers[1].handle};
  device_->guarded("make descriptors", [&] {
    sets_ = make_sets(pool_, {{*transfer_.handle, 0, VK_WHOLE_SIZE}});
  });
}

// Two sets for each place that is written to: to look at either buffer of cells.
std::vector<vk::DescriptorSet> PixelView::make_sets(vk::raii::DescriptorPool& pool,
                                                    std::vector<vk::DescriptorBufferInfo> outs) {
  const auto count = static_cast<std::uint32_t>(2 * outs.size());
  const vk::DescriptorPoolSize size(vk::DescriptorType::eStorageBuffer,
                                    count * Pipelines::kBindings);
  pool = vk::raii::DescriptorPool(device_->handle(), vk::DescriptorPoolCreateInfo({}, count, size));
  const std::vector<vk::DescriptorSetLayout> layouts(count, device_->pipelines().set_layout());
  std::vector<vk::DescriptorSet> sets =
      (*device_->handle())
          .allocateDescriptorSets(vk::DescriptorSetAllocateInfo(*pool, layouts),
                                  *device_->handle().getDispatcher());
  for (std::size_t s = 0; s < sets.size(); s++) {
    const auto whole = [](vk::Buffer buffer) {
      return vk::DescriptorBufferInfo(buffer, 0, VK_WHOLE_SIZE);
    };
    std::array<vk::DescriptorBufferInfo, Pipelines::kBindings> bound;
    bound[TESSERA_BIND_OWN] = whole(cells_[s % 2]);
    bound[TESSERA_BIND_AGES] = whole(*ages_.handle);
    bound[TESSERA_BIND_PLAN] = whole(*plan_.handle);
    bound[TESSERA_BIND_OUT] = outs[s / 2];
    for (std::uint32_t i = 0; i < Pipelines::kBindings; i++) {
      device_->handle().updateDescriptorSets(
          vk::WriteDescriptorSet(sets[s], i, 0, 1, vk::DescriptorType::eStorageBuffer, nullptr,
                                 &bound[i]),
          {});
    }
  }
  return sets;
}

// When first asked for: most backends draw for nobody.
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
  return 4 * columns_of(pixels) * rows_of(pixels) <= ages_.bytes &&
         4 * plan_words(columns_of(pixels) + rows_of(pixels)) <= plan_.bytes;
}

std::int64_t PixelView::pixel_count() const { return columns_of(pixels_) * rows_of(pixels_); }

void PixelView::run(std::uint32_t what, vk::DescriptorSet set, std::int64_t items,
                    int generations) {
  PixelsParams params{};
  params.what = what;
  params.stride = stride_;
  params.columns = static_cast<std::uint32_t>(columns_of(pixels_));
  params.rows = static_cast<std::uint32_t>(rows_of(pixels_));
  params.generations = static_cast<std::uint32_t>(generations);
  params.items = static_cast<std::uint32_t>(items);
  commands_.barrier();
  commands_.dispatch(pipeline_, set, params, ceil_div(items, TESSERA_PIXELS_GROUP));
}

void PixelView::aim(const PixelSpans& pixels) {
  if (pixels == pixels_) return;
  pixels_ = pixels;
  const std::vector<std::uint32_t> plan = plan_of(pixels);
  std::memcpy(transfer_.mapped, plan.data(), 4 * plan.size());
  run(TESSERA_PIXELS_PLAN, sets_[0], static_cast<std::int64_t>(plan.size()));
  commands_.wait();
}

void PixelView::put_ages(const std::vector<std::int16_t>& ages) {
  std::memcpy(transfer_.mapped, ages.data(), 2 * ages.size());
  run(TESSERA_PIXELS_PUT, sets_[0], pixel_count());
  commands_.wait();
}

void PixelView::take_ages(std::vector<std::int16_t>& ages) {
  run(TESSERA_PIXELS_TAKE, sets_[0], pixel_count());
  commands_.barrier_to_host();
  commands_.wait();
  std::memcpy(ages.data(), transfer_.mapped, 2 * ages.size());
}

void PixelView::add_ages(int present, int generations) {
  run(TESSERA_PIXELS_ADD, sets_[static_cast<std::size_t>(present)], pixel_count(), generations);
  commands_.submit();
}

void PixelView::begin(std::uint32_t what, int present, bool share) {
  if (share && !slots_ && !no_slots_) make_slots();
  const std::optional<std::size_t> slot = share && slots_ ? slots_->find() : std::nullopt;
  const auto cells = static_cast<std::size_t>(present);
  if (slot) {
    slot_ = slots_->picture(*slot);
    run(what, slot_sets_[2 * *slot + cells], pixel_count());
    commands_.release(slots_->buffer(), slots_->offset(*slot), slots_->bytes());
  } else {
    slot_.reset();
    run(what, sets_[cells], pixel_count());
    commands_.barrier_to_host();
  }
  commands_.submit();
  submission_ = commands_.submissions();
}

std::shared_ptr<const SharedPicture> PixelView::end_shared() {
  if (slot_) commands_.wait_for(submission_);
  return std::exchange(slot_, nullptr);
}

void PixelView::end(DensityImage& image) {
  commands_.wait_for(submission_);
  std::memcpy(image.pixels.data(), transfer_.mapped, image.pixels.size());
}

}  // namespace tessera::vulkan
