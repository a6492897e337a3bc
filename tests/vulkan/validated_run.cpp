// Everything that a backend does, with every kernel, for the validation layers to watch; the
// results are checked elsewhere, so that faults can be planted that change them. Prints the device,
// then nothing.

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "backends/vulkan/kernel_list.h"
#include "backends/vulkan/vulkan_backend.h"
#include "backends/vulkan/vulkan_batch.h"
#include "backends/vulkan/vulkan_driver.h"
#include "core/base/error.h"
#include "core/tiles/tile_device.h"
#include "core/tiles/tile_plane.h"
#include "tests/support/surveys.h"
#include "tests/support/usual_rule.h"

using namespace tessera;
using namespace tessera::test;

// Pictures that are looked at while steps are queued, to the host and to stay on the device.
void look_by_spans(StepBackend& backend) {
  PixelSpans pixels;
  for (std::uint32_t x = 0; x < 300; x += 3) pixels.columns.push_back({x, 3, 3});
  for (std::uint32_t y = 0; y < 60; y += 3) pixels.rows.push_back({y, 3, 3});
  backend.look()->keep_ages(pixels, std::vector<std::int16_t>(100 * 20));
  const std::optional<DeviceIdentity> ways[] = {std::nullopt,
                                                vulkan::Gpus::get().list.front().identity};
  DensityImage image;
  for (int i = 0; i < 6; i++) {
    for (const std::optional<DeviceIdentity>& sharing : ways) {
      if (!backend.look()->begin_greys(pixels, sharing))
        throw DeviceError("the device does not look by spans");
      backend.step(3);
      const auto greys = backend.look()->end(image);
      backend.look()->add_ages(1);
      backend.look()->begin_ages(sharing);
      backend.step(1);
      const auto ages = backend.look()->end(image);
      if (sharing && (!greys || !ages)) throw DeviceError("the device shares no pictures");
    }
  }
  backend.look()->ages();
}

// Tiles of a torus with copies along its seams, and of the plane.
void step_tiles(const Driver& driver) {
  BackendSpec spec;
  spec.width = spec.height = 64;
  spec.boundary = Boundary::plane;
  spec.tiles = true;
  for (const TileLayout& layout : {TileLayout(Topology::torus, 333, 171), TileLayout()}) {
    TilePlane plane(kLife, driver.create(0, spec, "strips", {})->tile_device(), layout);
    plane.edit({0, 0}, make_soup({3, 20000}, 333, 171));
    plane.step(100);
    for (int n = 0; n < 4; n++) {  // asks for a ring of another size, and looks ahead
      plane.step(7);
      plane.survey(kWholeSurvey);
    }
    plane.edit({30, 40}, make_soup({4, 30000}, 90, 90));
    plane.step(60);
    plane.read({0, 0, 333, 171});
    if (!layout.bounded()) continue;
    const auto grid = driver.create(0, {333, 171, Boundary::torus, kLife, 0}, "strips", {});
    grid->fill({1, 32768});
    if (!plane.take_from(*grid)) throw DeviceError("the tiles take no grid");
    plane.step(9);
  }
}

// All that can be asked of a grid.
void use_grid(const Driver& driver, const BackendSpec& spec, const std::string& kernel) {
  const auto backend = driver.create(0, spec, kernel, {});
  backend->fill({1, 32768, spec.rule.state_count});
  backend->step(13);
  backend->step(5);  // after an earlier submission that may still be under way
  hash_of(*backend);
  population_of(*backend);
  bounds_of(*backend);
  backend->edit({100, 30}, make_soup_cells({2, 30000}, 40, 20, spec.rule.planes()));
  backend->step(3);
  DensityImage image;
  backend->view({3, 3, 200, 60}, 3, image);
  look_by_spans(*backend);
  backend->download();
  backend->synchronize();
}

// Steps a grid in several buffers by their addresses.
void step_by_addresses(const Rule& rule) {
  using namespace tessera::vulkan;
  const Gpu& gpu = Gpus::get().list.front();
  if (!gpu.addresses) throw UnsupportedError("the device has no addresses of buffers");
  const BackendSpec spec{9000, 71, Boundary::torus, rule, 0};
  const KernelShape shape = choose_shape(gpu, "strips", spec, {});
  const std::int64_t whole = plan_grid(spec, shape, largest_chunk(gpu), false).chunks[0].bytes;
  GridPlan plan = plan_grid(spec, shape, whole * 3 / 4, true);
  if (!plan.addressed) throw UnsupportedError("the grid is not cut: " + plan.problem);
  VulkanBackend backend(Device::get(0), spec, {"vulkan", gpu.name, "strips", shape.tuning}, shape,
                        std::move(plan));
  backend.fill({1, 32768, rule.state_count});
  backend.step(13);
  backend.step(5);
  hash_of(backend);
}

// Universes in registers of subgroups and of workgroups, and in the bits of words.
void step_batches() {
  for (const std::int64_t height : {24, 128}) {
    for (const char* kernel : {"whole", "sliced"}) {
      const BatchSpec spec{70, {32, height, Boundary::plane, kLife, 0}};
      const auto batch = make_vulkan_batch(0, spec, kernel, {});
      batch->fill({1, 32768});
      batch->step(13);
      batch->step(5);
      batch->survey(kWholeSurvey);
      batch->step(1);
      batch->download(69);
    }
  }
}

int main() {
  try {
    const Driver& driver = vulkan_driver();
    const DeviceList list = driver.devices();
    if (list.devices.empty()) throw UnsupportedError(list.missing);
    fmt::print("device: {}\n", list.devices.front().name);
    for (const KernelInfo& kernel : driver.kernels()) {
      for (const Boundary boundary : {Boundary::torus, Boundary::plane}) {
        BackendSpec spec;
        spec.width = 333;
        spec.height = 71;
        spec.boundary = boundary;
        spec.rule = test::usual_rule(kernel);
        use_grid(driver, spec, kernel.name);
      }
    }
    const BackendSpec states{333, 71, Boundary::torus, parse_rule("/2/3"), 0};
    use_grid(driver, states, "strips");
    step_by_addresses(kLife);
    step_tiles(driver);
    step_batches();
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
