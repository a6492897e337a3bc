#include "backends/vulkan/pixel_view.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/geometry.h"

namespace tessera::vulkan {

namespace {

constexpr std::uint32_t kGroup = 64;  // invocations a workgroup
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
  values[TESSERA_SPEC_GROUP_SIZE] = kGroup;
  cells.shape->specialize_layout(values);
  pipeline_ = device_->guarded("make a pipeline",
                               [&] { return device_->pipelines().get("pixels", values); });
  device_->guarded("make descriptors", [&] { make_sets(cells.chunks->front()); });
}

void PixelView::make_sets(const Chunk& chunk) {
  const vk::DescriptorPoolSize size(vk::DescriptorType::eStorageBuffer, 2 * Pipelines::kBindings);
  pool_ = vk::raii::DescriptorPool(device_->handle(), vk::DescriptorPoolCreateInfo({}, 2, size));
  const std::vector<vk::DescriptorSetLayout> layouts(2, device_->pipelines().set_layout());
  sets_ = (*device_->handle())
              .allocateDescriptorSets(vk::DescriptorSetAllocateInfo(*pool_, layouts),
                                      *device_->handle().getDispatcher());
  for (std::size_t present = 0; present < 2; present++) {
    std::array<const Buffer*, Pipelines::kBindings> bound{};
    bound[TESSERA_BIND_OWN] = &chunk.buffers[present];
    bound[TESSERA_BIND_AGES] = &ages_;
    bound[TESSERA_BIND_PLAN] = &plan_;
    bound[TESSERA_BIND_OUT] = &transfer_;
    for (std::uint32_t i = 0; i < Pipelines::kBindings; i++) {
      const vk::DescriptorBufferInfo info(*bound[i]->handle, 0, VK_WHOLE_SIZE);
      device_->handle().updateDescriptorSets(
          vk::WriteDescriptorSet(sets_[present], i, 0, 1, vk::DescriptorType::eStorageBuffer,
                                 nullptr, &info),
          {});
    }
  }
}

bool PixelView::holds(const PixelSpans& pixels) const {
  return 4 * columns_of(pixels) * rows_of(pixels) <= ages_.bytes &&
         4 * plan_words(columns_of(pixels) + rows_of(pixels)) <= plan_.bytes;
}

std::int64_t PixelView::groups_of_four() const {
  return ceil_div(columns_of(pixels_) * rows_of(pixels_), 4);
}

void PixelView::run(std::uint32_t what, int present, std::int64_t items, int generations) {
  PixelsParams params{};
  params.what = what;
  params.stride = stride_;
  params.columns = static_cast<std::uint32_t>(columns_of(pixels_));
  params.rows = static_cast<std::uint32_t>(rows_of(pixels_));
  params.generations = static_cast<std::uint32_t>(generations);
  params.items = static_cast<std::uint32_t>(items);
  commands_.barrier();
  commands_.dispatch(pipeline_, sets_[static_cast<std::size_t>(present)], params,
                     ceil_div(items, kGroup));
}

void PixelView::aim(const PixelSpans& pixels) {
  if (pixels == pixels_) return;
  pixels_ = pixels;
  const std::vector<std::uint32_t> plan = plan_of(pixels);
  std::memcpy(transfer_.mapped, plan.data(), 4 * plan.size());
  run(TESSERA_PIXELS_PLAN, 0, static_cast<std::int64_t>(plan.size()));
  commands_.wait();
}

void PixelView::put_ages(const std::vector<std::int16_t>& ages) {
  std::memcpy(transfer_.mapped, ages.data(), 2 * ages.size());
  run(TESSERA_PIXELS_PUT, 0, groups_of_four());
  commands_.wait();
}

void PixelView::take_ages(std::vector<std::int16_t>& ages) {
  run(TESSERA_PIXELS_TAKE, 0, groups_of_four());
  commands_.barrier_to_host();
  commands_.wait();
  std::memcpy(ages.data(), transfer_.mapped, 2 * ages.size());
}

void PixelView::add_ages(int present, int generations) {
  run(TESSERA_PIXELS_ADD, present, groups_of_four(), generations);
  commands_.submit();
}

void PixelView::begin(std::uint32_t what, int present) {
  run(what, present, groups_of_four());
  commands_.barrier_to_host();
  commands_.submit();
  submission_ = commands_.submissions();
}

void PixelView::end(DensityImage& image) {
  commands_.wait_for(submission_);
  std::memcpy(image.pixels.data(), transfer_.mapped, image.pixels.size());
}

}  // namespace tessera::vulkan
