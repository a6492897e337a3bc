// The kernel cascade (shaders/cascade.comp) beside the reference: tori whose seam lies anywhere in
// a macro-column, planes, last windows of every width, heights that end within a round, passes of
// fewer generations than the stages, and rules of one bit plane to eight.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "apps/measure/draw.h"
#include "backends/vulkan/cascade_shape.h"
#include "backends/vulkan/kernel_list.h"
#include "backends/vulkan/vulkan_backend.h"
#include "backends/vulkan/vulkan_driver.h"
#include "core/cells/state_hash.h"
#include "tests/support/allocations.h"
#include "tests/support/kernels.h"
#include "tests/support/surveys.h"
#include "tests/vulkan/first_gpu.h"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::vulkan;

TEST_CASE("random grids of the kernel cascade are the reference's") {
  if (const auto why = missing_for(first_gpu(), "cascade")) {
    MESSAGE("skipped: " << *why);
    return;
  }
  // A circuit of the counts, a map, and planes that move, that are fed back and that are counted.
  const std::vector<std::string> rules{"B3-k/S23", "WireWorld", "345/2/4",
                                       "23/2/8",   "345/2/20",  "23/3/40"};
  const std::vector<Tuning> tunings{{}, {8, 0, 0, 4, 0}, {8, 0, 0, 1, 0}};
  Draw draw(77);
  const std::int64_t cases = case_count(14);
  for (std::int64_t n = 0; n < cases; n++) {
    const std::string& rule = rules[static_cast<std::size_t>(n) % rules.size()];
    const Tuning& tuning = tunings[static_cast<std::size_t>(draw.below(3))];
    const Boundary boundary = draw.chance(35) ? Boundary::plane : Boundary::torus;
    std::int64_t width = draw.between(32, draw.chance(50) ? 200 : 3000);
    if (draw.chance(25)) width = (width + 63) / 64 * 64;
    const BackendSpec spec = make_spec(width, draw.between(1, 150), boundary, rule);
    INFO(fmt::format("case {}: {}, {}x{}, {}, T={}", n, rule, spec.width, spec.height,
                     boundary == Boundary::plane ? "plane" : "torus", tuning.generations));
    const AllocationScope guarded(4096);
    const auto grid = vulkan_driver().create(0, spec, "cascade", tuning);
    const auto judge = test::reference().create(spec);
    const Soup soup{draw.word(), 26000, static_cast<std::uint16_t>(spec.rule.states())};
    grid->fill(soup);
    judge->fill(soup);
    for (const std::int64_t generations : {draw.between(1, 7), draw.between(8, 30)}) {
      grid->step(generations);
      judge->step(generations);
      REQUIRE(hash_text(hash_of(*grid)) == hash_text(hash_of(*judge)));
    }
    const CellGrid block = make_soup_cells({draw.word(), 50000}, 25, 1, spec.rule.planes());
    grid->edit({5, spec.height - 1}, block);
    judge->edit({5, spec.height - 1}, block);
    grid->step(5);
    judge->step(5);
    REQUIRE((grid->download() == judge->download()));
    REQUIRE(population_of(*grid) == population_of(*judge));
    REQUIRE(bounds_of(*grid) == bounds_of(*judge));
    auto* inside = dynamic_cast<VulkanBackend*>(grid.get());
    REQUIRE(inside != nullptr);
    CHECK_NOTHROW(inside->check_guards());
  }
}

TEST_CASE("cascade steps large grids of many planes where it is known to be the fastest") {
  Gpu gpu = first_gpu();
  gpu.type = vk::PhysicalDeviceType::eDiscreteGpu;
  gpu.shuffles = gpu.multiplies_beside_logic = true;
  gpu.subgroup_size = gpu.min_subgroup_size = gpu.max_subgroup_size = 32;
  gpu.max_group_size = 1024;
  gpu.max_subgroups = 32;
  gpu.max_group_memory = 49152;
  const auto kernel = [&](std::int64_t side, const char* rule) {
    return default_kernel(gpu, make_spec(side, side, Boundary::torus, rule));
  };
  CHECK(kernel(16384, "23/3/40") == "cascade");
  CHECK(kernel(16384, "23/2/8") == "cascade");
  CHECK(kernel(8192, "23/2/8") == "strips");
  CHECK(kernel(16384, "345/2/4") == "strips");
  CHECK(kernel(16384, "B3/S23") == "strips");
  CHECK(kernel(2048, "23/3/40") == "strips");
  // A window whose lanes are all at work, and two of which most have nothing to do.
  CHECK(default_kernel(gpu, make_spec(1984, 1 << 18, Boundary::torus, "23/3/40")) == "cascade");
  CHECK(default_kernel(gpu, make_spec(2100, 4096, Boundary::torus, "23/3/40")) == "strips");
  gpu.multiplies_beside_logic = false;
  CHECK(kernel(16384, "23/3/40") == "strips");
}

TEST_CASE("cascade refuses what it cannot step") {
  const auto refusal = [](const BackendSpec& spec, const Tuning& tuning) -> std::string {
    try {
      choose_shape(first_gpu(), "cascade", spec, tuning);
    } catch (const UnsupportedError& error) {
      return error.what();
    }
    return {};
  };
  const BackendSpec torus = make_spec(31, 64, Boundary::torus, "345/2/4");
  CHECK(refusal(torus, {}).find("a torus of 31 columns is too narrow") != std::string::npos);
  CHECK(refusal(make_spec(31, 64, Boundary::plane, "345/2/4"), {}).empty());
  CHECK(refusal(make_spec(64, 64, Boundary::torus, "345/2/4"), {12, 0, 0, 8, 0})
            .find("not the same for each of 8 subgroups") != std::string::npos);
}
