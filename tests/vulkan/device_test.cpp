// The basis of a test run on a device: that it is the intended device, and that it runs every
// kernel.

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "backends/vulkan/kernel_list.h"
#include "core/base/error.h"
#include "tests/support/usual_rule.h"

using namespace tessera;
using namespace tessera::vulkan;

TEST_CASE("the device has subgroups of TESSERA_SUBGROUPS invocations and runs every kernel") {
  const char* wanted = std::getenv("TESSERA_SUBGROUPS");
  const Gpus& gpus = Gpus::get();
  REQUIRE_MESSAGE(!gpus.list.empty(), gpus.missing);
  const Gpu& gpu = gpus.list.front();
  MESSAGE("device: " << gpu.name << ", " << gpu.driver << ", subgroups of " << gpu.subgroup_size);
  if (wanted) CHECK(std::to_string(gpu.subgroup_size) == wanted);
  for (const KernelInfo& kernel : kernel_infos())
    CHECK(missing_for(gpu, kernel.name).value_or("") == "");
}

TEST_CASE("a device without shuffles or subgroups keeps the kernels that need none, and says why") {
  REQUIRE(!Gpus::get().list.empty());
  Gpu gpu = Gpus::get().list.front();
  gpu.shuffles = false;
  CHECK(default_kernel(gpu) == "shared");
  CHECK(missing_for(gpu, "strips").value_or("").find("subgroups without it") != std::string::npos);
  gpu.subgroup_size = 0;
  CHECK(default_kernel(gpu) == "shared");
  CHECK(missing_for(gpu, "subgroup").value_or("").find("no subgroups there") != std::string::npos);
  CHECK(!missing_for(gpu, "word"));
  CHECK(default_kernel(gpu, true) == "sums");
}

TEST_CASE("every subgroup size from 4 to 64 gets a shape of every kernel, whatever the device is") {
  REQUIRE(!Gpus::get().list.empty());
  Gpu gpu = Gpus::get().list.front();
  for (const auto& [type, multiplies] : {std::pair{gpu.type, false},
                                         {vk::PhysicalDeviceType::eDiscreteGpu, false},
                                         {vk::PhysicalDeviceType::eDiscreteGpu, true}}) {
    gpu.type = type;
    gpu.multiplies_beside_logic = multiplies;
    for (const std::uint32_t size : {4u, 8u, 16u, 32u, 64u}) {
      CAPTURE(size);
      gpu.subgroup_size = gpu.min_subgroup_size = gpu.max_subgroup_size = size;
      gpu.max_subgroups = gpu.max_group_size / size;
      for (const KernelInfo& kernel : kernel_infos()) {
        CAPTURE(kernel.name);
        for (const std::int64_t side :
             {1, 300, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 18}) {
          CAPTURE(side);
          const std::vector<Rule> rules = kernel.near
                                              ? std::vector<Rule>{kLife, parse_rule("B36/S23")}
                                              : std::vector<Rule>{test::usual_rule(kernel)};
          for (const Rule& rule : rules) {
            const KernelShape shape =
                choose_shape(gpu, kernel.name, {side, side, Boundary::torus, rule, 0}, {});
            CHECK(shape.tile_rows > 0);
            CHECK(shape.generations > 0);
            CHECK(shape.group_size <= gpu.max_group_size);
            // Copies of rows must not be used longer than they last.
            CHECK(4 * shape.overlap <= size);
            CHECK(shape.tiles_per_group * shape.subgroup_size <= shape.group_size);
          }
        }
      }
    }
  }
}
