// Rules of several states on Vulkan against the CPU: cells in and out, surveys, pictures and steps,
// within their buffers.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "backends/cpu/cpu_driver.h"
#include "backends/vulkan/vulkan_backend.h"
#include "backends/vulkan/vulkan_driver.h"
#include "tests/support/allocations.h"
#include "tests/support/pixels.h"
#include "tests/support/states.h"

using namespace tessera;
using namespace tessera::test;

namespace {

struct Case {
  const char* rule;
  Boundary boundary;
  Tuning shape;  // generations, rows, words, subgroups
};

}  // namespace

TEST_CASE("rules of several states step on Vulkan as on the CPU") {
  Draw draw(11);
  // Two planes that move, three of ages, three of wires and five of files' states; halos of one bit
  // and of two, tiles that share rows and tiles that do not, accesses of one row, of two and of
  // four.
  for (const Case& each :
       {Case{"/2/3", Boundary::torus, {4, 4, 2, 1, 0}},
        Case{"345/2/4", Boundary::torus, {4, 3, 4, 2, 0}}, Case{"WireWorld", Boundary::plane, {}},
        Case{"JvN29", Boundary::torus, {}}, Case{"Hutton32", Boundary::plane, {}}}) {
    const Rule rule = parse_rule(each.rule);
    for (int i = 0; i < (rule.from_file() ? 1 : 3); i++) {
      // Deep halos need three macro-columns.
      const BackendSpec spec{draw.between(i == 0 ? 8 : 330, i == 0 ? 90 : 700), draw.between(1, 90),
                             each.boundary, rule, 0};
      INFO(std::string(each.rule), " ", spec.width, "x", spec.height);
      const AllocationScope guarded(4096);
      const auto gpu =
          vulkan_driver().create(0, spec, rule.from_file() ? "table" : "strips",
                                 spec.width < 330 && each.shape.words == 2 ? Tuning{} : each.shape);
      const auto cpu = cpu_driver().create(0, spec, "reference", {});
      check_states(*gpu, *cpu, draw);
      CHECK(check_pixels(*gpu, draw.word()));
      auto* inside = dynamic_cast<vulkan::VulkanBackend*>(gpu.get());
      REQUIRE(inside != nullptr);
      CHECK_NOTHROW(inside->check_guards());
    }
  }
}

TEST_CASE("kernels of two states refuse more with the reason") {
  const BackendSpec spec{64, 64, Boundary::torus, parse_rule("345/2/4"), 0};
  for (const KernelInfo& kernel : vulkan_driver().kernels()) {
    INFO(kernel.name);
    CHECK(vulkan_driver().unsupported(0, spec, kernel.name).has_value() ==
          (kernel.name != "strips"));
  }
}
