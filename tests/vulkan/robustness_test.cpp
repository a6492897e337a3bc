// The backend at its limits: canaries around buffers, memory that runs out, a lost device, long
// steps.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>
#include <string>

#include "backends/cpu/cpu_driver.h"
#include "backends/vulkan/kernel_list.h"
#include "backends/vulkan/vulkan_backend.h"
#include "backends/vulkan/vulkan_driver.h"
#include "backends/vulkan/vulkan_tiles.h"
#include "core/base/error.h"
#include "core/cells/state_hash.h"
#include "core/tiles/tile_plane.h"
#include "tests/support/allocations.h"
#include "tests/support/surveys.h"
#include "tests/support/usual_rule.h"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::vulkan;

namespace {

// Tiles of a torus with copies along its seams.
BackendSpec spec_of_tiles(const Rule& rule) {
  BackendSpec spec{64, 64, Boundary::plane, rule, 0};
  spec.tiles = true;
  return spec;
}

std::unique_ptr<TilePlane> tiled(std::unique_ptr<TileDevice> device, const Rule& rule = kLife) {
  return std::make_unique<TilePlane>(rule, std::move(device),
                                     TileLayout(Topology::torus, 700, 500));
}

void need_device() { REQUIRE_MESSAGE(!Gpus::get().list.empty(), Gpus::get().missing); }

}  // namespace

TEST_CASE("no kernel writes outside its buffers") {
  need_device();
  std::mt19937_64 random(99);
  for (const KernelInfo& kernel : kernel_infos()) {
    for (int i = 0; i < 6; i++) {
      BackendSpec spec;
      spec.width = 1 + static_cast<std::int64_t>(random() % (i % 2 ? 700 : 100));
      spec.height = 1 + static_cast<std::int64_t>(random() % (i % 3 ? 300 : 40));
      spec.boundary = i % 4 < 2 ? Boundary::torus : Boundary::plane;
      spec.rule = test::usual_rule(kernel);
      CAPTURE(kernel.name);
      CAPTURE(spec.width);
      CAPTURE(spec.height);
      const AllocationScope guarded(4096);
      const auto backend = vulkan_driver().create(0, spec, kernel.name, {});
      backend->fill({random(), 30000});
      backend->step(7 + i);
      backend->upload(backend->download());
      DensityImage image;
      backend->view({0, 0, spec.width, spec.height}, 3, image);
      population_of(*backend);
      bounds_of(*backend);
      hash_of(*backend);
      auto* inside = dynamic_cast<VulkanBackend*>(backend.get());
      REQUIRE(inside != nullptr);
      CHECK_NOTHROW(inside->check_guards());
    }
  }
}

TEST_CASE("no kernel of tiles writes outside its buffers") {
  need_device();
  const AllocationScope guarded(4096);
  for (const Rule& rule : {kLife, parse_rule("/2/3")}) {
    INFO(to_string(rule));
    auto device = std::make_unique<VulkanTiles>(Device::get(0), spec_of_tiles(rule));
    VulkanTiles& tiles = *device;
    const auto plane = tiled(std::move(device), rule);
    const auto states = static_cast<std::uint16_t>(rule.states());
    const auto cells = [&](std::uint64_t seed, std::int64_t width, std::int64_t height) {
      return make_soup_cells({seed, 20000, states}, width, height, rule.planes());
    };
    plane->edit({0, 0}, cells(3, 700, 500));
    plane->step(200);
    for (int n = 0; n < 4; n++) {  // asks for a ring of another size, and looks ahead
      plane->step(7);
      plane->survey(kWholeSurvey);
    }
    plane->edit({600, 400}, cells(4, 90, 90));
    plane->step(50);
    plane->read_states({0, 0, 700, 500});
    CHECK(plane->survey(kWholeSurvey).population > 0);
    CHECK_NOTHROW(tiles.check_guards());
  }
}

TEST_CASE("tiles for which a device has no memory are a typed error") {
  need_device();
  const int failures = failing_allocations([] {
    const auto plane = tiled(std::make_unique<VulkanTiles>(Device::get(0), spec_of_tiles(kLife)));
    plane->edit({0, 0}, make_soup({3, 20000}, 700, 500));
    plane->step(24);
  });
  CHECK(failures >= 5);
  // What one binding holds is known before anything is allocated.
  VulkanTiles tiles(Device::get(0), spec_of_tiles(kLife));
  tiles.restart(-1, 3);
  CHECK(tiles.limit() <= Gpus::get().list.front().max_buffer_range * 5);
  CHECK_THROWS_AS(tiles.reserve(~TileId{0}), DeviceMemoryError);
}

TEST_CASE("a write around a buffer is seen") {
  need_device();
  const auto device = Device::get(0);
  Commands commands(device);
  const Buffer buffer = [&] {
    const AllocationScope guarded(512);
    return device->make_cells(1000);
  }();
  REQUIRE(buffer.guards.size() == 2);
  const Buffer seen = device->make_transfer(4096);
  commands.fill_guards(buffer);
  CHECK(commands.guards_untouched(buffer, seen));
  commands.fill_zero(buffer);
  CHECK(commands.guards_untouched(buffer, seen));
  commands.fill_guards(buffer, 0);
  CHECK_FALSE(commands.guards_untouched(buffer, seen));
}

TEST_CASE("memory that runs out at any allocation is a typed error and leaves nothing behind") {
  need_device();
  for (const KernelInfo& kernel : kernel_infos()) {
    CAPTURE(kernel.name);
    const BackendSpec spec{500, 400, Boundary::torus, test::usual_rule(kernel), 0};
    const int failures =
        failing_allocations([&] { vulkan_driver().create(0, spec, kernel.name, {}); });
    CHECK(failures >= 3);
    const auto backend = vulkan_driver().create(0, spec, kernel.name, {});
    backend->fill({1, 32768});
    backend->step(10);
    CHECK(population_of(*backend) > 0);
  }
}

TEST_CASE("a device that was lost is opened anew for the next backend") {
  need_device();
  const auto lost = Device::get(0);
  CHECK(Device::get(0) == lost);
  CHECK_THROWS_AS(lost->guarded("try", [] { throw vk::DeviceLostError("on trial"); }),
                  DeviceLostError);
  CHECK(Device::get(0) != lost);
  const BackendSpec spec{100, 100, Boundary::torus, kLife, 0};
  const auto backend = vulkan_driver().create(0, spec, "auto", {});
  backend->fill({1, 32768});
  backend->step(10);
  CHECK(population_of(*backend) > 0);
}

TEST_CASE("long steps are cut into submissions, and launches within them") {
  need_device();
  // Before anything was measured a device is taken for one of 2e10 cell updates per second,
  // software for one of 5e8; a submission lasts 50 ms by that.
  const std::int64_t generations = Gpus::get().list.front().software() ? 8 : 400;
  const BackendSpec spec{3000, 2000, Boundary::torus, kLife, 0};
  const auto judge = cpu_driver().create(0, spec, "simd", {});
  const auto backend = vulkan_driver().create(0, spec, "auto", {});
  auto* inside = dynamic_cast<VulkanBackend*>(backend.get());
  REQUIRE(inside != nullptr);
  judge->fill({5, 20000});
  backend->fill({5, 20000});
  const std::int64_t before = inside->submissions();
  judge->step(generations);
  backend->step(generations);
  CHECK(inside->submissions() >= before + 2);
  CHECK(hash_text(hash_of(*backend)) == hash_text(hash_of(*judge)));
}
