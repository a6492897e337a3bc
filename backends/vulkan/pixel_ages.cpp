#include "backends/vulkan/pixel_ages.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/geometry.h"

namespace tessera::vulkan {

namespace {

constexpr std::uint32_t kGroup = 64;  // invocations a workgroup
static_assert(TESSERA_AGE_MOST == AgeMap::kMost && TESSERA_AGE_TRAIL == AgeMap::kTrail);

std::int64_t count(const PixelSpans& pixels) {
  return static_cast<std::int64_t>(pixels.columns.size() * pixels.rows.size());
}

// Spans, then the colours of ages; see shaders/ages.comp.
std::vector<std::uint32_t> plan_of(const PixelSpans& pixels) {
  std::vector<std::uint32_t> plan;
  for (const auto* spans : {&pixels.columns, &pixels.rows}) {
    for (const PixelSpan& span : *spans) plan.insert(plan.end(), {span.first, span.count});
  }
  const auto& colours = AgeMap::colours();
  for (std::size_t i = 0; i < colours.size(); i++) {
    if (i % 4 == 0) plan.push_back(0);
    plan.back() |= std::uint32_t{colours[i]} << (8 * (i % 4));
  }
  return plan;
}

}  // namespace

bool PixelAges::fits(const Gpu& gpu, const PixelSpans& pixels) {
  return count(pixels) <= largest_chunk(gpu) / 4 - 4;
}

PixelAges::PixelAges(std::shared_ptr<Device> device, Commands& commands, const CellsView& cells,
                     const PixelSpans& pixels, const std::vector<std::int16_t>& ages)
    : device_(std::move(device)),
      commands_(commands),
      stride_(static_cast<std::uint32_t>(cells.plan->stride)),
      columns_(static_cast<std::uint32_t>(pixels.columns.size())),
      rows_(static_cast<std::uint32_t>(pixels.rows.size())) {
  const std::vector<std::uint32_t> plan = plan_of(pixels);
  const auto plan_words = static_cast<std::int64_t>(plan.size());
  const std::int64_t all = ceil_div(count(pixels), 4) * 4;
  ages_ = device_->make_cells(4 * all);
  plan_ = device_->make_cells(4 * plan_words);
  transfer_ = device_->make_transfer(std::max(2 * all, 4 * plan_words));
  for (const Buffer* buffer : buffers()) commands_.fill_guards(*buffer);
  Specialization values{};
  values[TESSERA_SPEC_GROUP_SIZE] = kGroup;
  cells.shape->specialize_layout(values);
  pipeline_ =
      device_->guarded("make a pipeline", [&] { return device_->pipelines().get("ages", values); });
  device_->guarded("make descriptors", [&] { make_sets(cells.chunks->front()); });

  std::memcpy(transfer_.mapped, plan.data(), plan.size() * 4);
  run(TESSERA_AGES_PLAN, 0, plan_words);
  commands_.wait();
  std::memcpy(transfer_.mapped, ages.data(), ages.size() * 2);
  run(TESSERA_AGES_PUT, 0, all / 4);
  commands_.wait();
}

void PixelAges::make_sets(const Chunk& chunk) {
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

void PixelAges::run(std::uint32_t what, int present, std::int64_t items, int generations) {
  AgesParams params{};
  params.what = what;
  params.stride = stride_;
  params.columns = columns_;
  params.rows = rows_;
  params.generations = static_cast<std::uint32_t>(generations);
  params.items = static_cast<std::uint32_t>(items);
  commands_.barrier();
  commands_.dispatch(pipeline_, sets_[static_cast<std::size_t>(present)], params,
                     ceil_div(items, kGroup));
}

void PixelAges::add(int present, int generations) {
  run(TESSERA_AGES_ADD, present, ceil_div(std::int64_t{columns_} * rows_, 4), generations);
  commands_.submit();
}

void PixelAges::view(DensityImage& image) {
  run(TESSERA_AGES_SHOW, 0, ceil_div(std::int64_t{columns_} * rows_, 4));
  commands_.barrier_to_host();
  commands_.wait();
  std::memcpy(image.pixels.data(), transfer_.mapped, image.pixels.size());
}

void PixelAges::take(std::vector<std::int16_t>& ages) {
  run(TESSERA_AGES_TAKE, 0, ceil_div(std::int64_t{columns_} * rows_, 4));
  commands_.barrier_to_host();
  commands_.wait();
  std::memcpy(ages.data(), transfer_.mapped, 2 * ages.size());
}

}  // namespace tessera::vulkan
