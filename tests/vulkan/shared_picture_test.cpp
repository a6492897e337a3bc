// Pictures that stay on the device: what another logical device sees in them, as another API would,
// and when they pass through the host after all.

#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <iterator>
#include <optional>
#include <vector>

#include "backends/gpu/allocation_trial.h"
#include "backends/vulkan/shared_slots.h"
#include "backends/vulkan/vulkan_driver.h"
#include "core/pictures/age_map.h"
#include "tests/vulkan/first_gpu.h"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::vulkan;

namespace {

using Shared = std::shared_ptr<const SharedPicture>;

bool exports() {
  if (!first_gpu().exports) MESSAGE("skipped: " << first_gpu().name << " exports no memory");
  return first_gpu().exports;
}

std::unique_ptr<StepBackend> soup(std::int64_t width, std::int64_t height) {
  BackendSpec spec;
  spec.width = width;
  spec.height = height;
  std::unique_ptr<StepBackend> backend = vulkan_driver().create(0, spec, "auto", {});
  backend->fill({7, 24000});
  return backend;
}

// The whole grid by pixels of `scale` cells.
PixelSpans whole(const StepBackend& backend, std::uint32_t scale) {
  const auto along = [scale](std::int64_t side) {
    std::vector<PixelSpan> spans;
    for (std::uint32_t first = 0; first < side; first += scale) {
      spans.push_back({first, std::min(scale, static_cast<std::uint32_t>(side) - first), scale});
    }
    return spans;
  };
  return {along(backend.spec().width), along(backend.spec().height)};
}

// Imports a picture's memory into a device of its own and reads it there.
std::vector<std::uint8_t> bytes_of(const SharedPicture& picture, std::size_t count) {
  static auto* const other = new Device(first_gpu());
  const vk::raii::Device& device = other->handle();
  const SharedMemory& memory = *picture.memory;
  CHECK(picture.offset % 256 == 0);
  REQUIRE(picture.offset + static_cast<std::int64_t>(count) <= memory.used());
  REQUIRE(memory.used() < memory.bytes());
  const vk::StructureChain<vk::BufferCreateInfo, vk::ExternalMemoryBufferCreateInfo> info(
      {{},
       static_cast<vk::DeviceSize>(memory.bytes()),
       kSharedUsage | vk::BufferUsageFlagBits::eTransferSrc,
       vk::SharingMode::eExclusive},
      {kSharedHandle});
  const vk::raii::Buffer source(device, info.get());
  const vk::MemoryRequirements needs = source.getMemoryRequirements();
  const vk::PhysicalDeviceMemoryProperties types = first_gpu().handle.getMemoryProperties();
  std::optional<std::uint32_t> type;  // the exporting device's choice
  for (const bool local : {true, false}) {
    for (std::uint32_t i = 0; i < types.memoryTypeCount && !type; i++) {
      const bool is_local =
          bool(types.memoryTypes[i].propertyFlags & vk::MemoryPropertyFlagBits::eDeviceLocal);
      if ((needs.memoryTypeBits >> i & 1) && is_local == local) type = i;
    }
  }
  REQUIRE(type);
  vk::StructureChain<vk::MemoryAllocateInfo, vk::ImportMemoryFdInfoKHR,
                     vk::MemoryDedicatedAllocateInfo>
      import({static_cast<vk::DeviceSize>(memory.bytes()), *type},
             {kSharedHandle, memory.duplicate()}, {{}, *source});
  if (!memory.dedicated()) import.unlink<vk::MemoryDedicatedAllocateInfo>();
  const vk::raii::DeviceMemory imported(device, import.get());
  source.bindMemory(*imported, 0);

  const Buffer target = other->make_transfer(static_cast<std::int64_t>(count));
  const vk::raii::CommandPool pool(device, vk::CommandPoolCreateInfo({}, first_gpu().queue_family));
  const vk::raii::CommandBuffers all(device, {*pool, vk::CommandBufferLevel::ePrimary, 1});
  const vk::raii::CommandBuffer& commands = all.front();
  const vk::raii::Fence fence(device, vk::FenceCreateInfo());
  commands.begin(vk::CommandBufferBeginInfo(vk::CommandBufferUsageFlagBits::eOneTimeSubmit));
  const vk::BufferMemoryBarrier acquire({}, vk::AccessFlagBits::eTransferRead,
                                        VK_QUEUE_FAMILY_EXTERNAL, first_gpu().queue_family, *source,
                                        static_cast<vk::DeviceSize>(picture.offset), count);
  commands.pipelineBarrier(vk::PipelineStageFlagBits::eTopOfPipe,
                           vk::PipelineStageFlagBits::eTransfer, {}, {}, acquire, {});
  commands.copyBuffer(*source, *target.handle,
                      vk::BufferCopy(static_cast<vk::DeviceSize>(picture.offset), 0, count));
  const vk::MemoryBarrier seen(vk::AccessFlagBits::eTransferWrite, vk::AccessFlagBits::eHostRead);
  commands.pipelineBarrier(vk::PipelineStageFlagBits::eTransfer, vk::PipelineStageFlagBits::eHost,
                           {}, seen, {}, {});
  commands.end();
  other->submit(*commands, *fence);
  other->wait(*fence);
  const auto* first = static_cast<const std::uint8_t*>(target.mapped);
  return {first, first + count};
}

// One look, and the same through the host.
Shared look(StepBackend& backend, const PixelSpans& pixels, DensityImage& expected) {
  REQUIRE(backend.look()->begin_greys(pixels));
  CHECK(backend.look()->end(expected) == nullptr);
  REQUIRE(backend.look()->begin_greys(pixels, first_gpu().identity));
  backend.step(1);  // queued after the look
  DensityImage image;
  Shared shared = backend.look()->end(image);
  CHECK(image.width == expected.width);
  CHECK(image.height == expected.height);
  if (shared) {
    CHECK(image.pixels.empty());
  } else {
    CHECK(image == expected);
  }
  return shared;
}

std::int64_t descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

}  // namespace

TEST_CASE("another device sees the bytes that the host would, however long it holds them") {
  if (!exports()) return;
  std::vector<std::pair<Shared, DensityImage>> held;
  {
    const auto backend = soup(333, 217);
    for (const std::uint32_t scale : {3u, 1u, 2u, 5u, 1u}) {
      DensityImage expected;
      const Shared shared = look(*backend, whole(*backend, scale), expected);
      REQUIRE(shared);
      CHECK(bytes_of(*shared, expected.pixels.size()) == expected.pixels);
      if (held.size() < 3) held.emplace_back(shared, expected);
    }
  }
  for (const auto& [shared, expected] : held) {
    CHECK(bytes_of(*shared, expected.pixels.size()) == expected.pixels);
  }
}

TEST_CASE("ages, too") {
  if (!exports()) return;
  const auto backend = soup(200, 120);
  const PixelSpans pixels = whole(*backend, 1);
  REQUIRE(backend->look()->keep_ages(pixels, std::vector<std::int16_t>(200 * 120)));
  for (int i = 0; i < 7; i++) {
    backend->step(1);
    backend->look()->add_ages(1);
    DensityImage expected, image;
    backend->look()->begin_ages();
    CHECK(backend->look()->end(expected) == nullptr);
    backend->look()->begin_ages(first_gpu().identity);
    backend->step(2);
    const Shared shared = backend->look()->end(image);
    REQUIRE(shared);
    CHECK(image.pixels.empty());
    CHECK(bytes_of(*shared, expected.pixels.size()) == expected.pixels);
  }
}

TEST_CASE("when all places are held, pictures come by way of the host until one is let go") {
  if (!exports()) return;
  const auto backend = soup(100, 64);
  const PixelSpans pixels = whole(*backend, 1);
  DensityImage expected;
  std::vector<std::pair<Shared, DensityImage>> held;
  for (std::size_t i = 0; i < SharedSlots::kCount; i++) {
    Shared shared = look(*backend, pixels, expected);
    REQUIRE(shared);
    held.emplace_back(std::move(shared), expected);
  }
  CHECK(look(*backend, pixels, expected) == nullptr);
  CHECK(look(*backend, pixels, expected) == nullptr);
  const std::int64_t offset = held[1].first->offset;
  held.erase(held.begin() + 1);
  Shared again = look(*backend, pixels, expected);
  REQUIRE(again);
  CHECK(again->offset == offset);
  CHECK(bytes_of(*again, expected.pixels.size()) == expected.pixels);
  for (const auto& [shared, seen] : held) {
    CHECK(bytes_of(*shared, seen.pixels.size()) == seen.pixels);
  }
}

TEST_CASE("pictures for another device or driver, and those nobody asked for, go to the host") {
  const auto backend = soup(64, 64);
  const PixelSpans pixels = whole(*backend, 1);
  DeviceIdentity device = first_gpu().identity, driver = first_gpu().identity;
  device.device[3] ^= 1;
  driver.driver[15] ^= 1;
  std::vector<std::optional<DeviceIdentity>> strangers{device, driver, std::nullopt};
  if (!first_gpu().exports) strangers.emplace_back(first_gpu().identity);
  for (const std::optional<DeviceIdentity>& stranger : strangers) {
    DensityImage image;
    REQUIRE(backend->look()->begin_greys(pixels, stranger));
    CHECK(backend->look()->end(image) == nullptr);
    CHECK(image.pixels.size() == 64 * 64);
  }
}

TEST_CASE("a device without room for them keeps to the host's way") {
  if (!exports()) return;
  const auto backend = soup(64, 64);
  const PixelSpans pixels = whole(*backend, 1);
  DensityImage expected;
  REQUIRE(backend->look()->begin_greys(pixels));
  backend->look()->end(expected);
  gpu::allocation_trial().fail_at = 0;
  CHECK(look(*backend, pixels, expected) == nullptr);
  CHECK(gpu::allocation_trial().fail_at == -1);
  CHECK(look(*backend, pixels, expected) == nullptr);
}

TEST_CASE("no descriptor outlives its memory") {
  if (!exports()) return;
  DensityImage expected;
  const auto once = [&] {
    const auto backend = soup(64, 64);
    for (const std::uint32_t scale : {8u, 4u, 2u, 1u}) {  // each needs more memory
      const Shared shared = look(*backend, whole(*backend, scale), expected);
      REQUIRE(shared);
      bytes_of(*shared, expected.pixels.size());
    }
  };
  once();
  const std::int64_t before = descriptors();
  // The driver's own threads open and close files of its cache meanwhile.
  constexpr int kTimes = 20;
  for (int i = 0; i < kTimes; i++) once();
  CHECK(descriptors() < before + kTimes / 2);
}
