// Many passes in one dispatch, whose tiles wait for each other (shaders/chained.glsl): on grids so
// small that they wait all the time, beside the reference.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "apps/measure/draw.h"
#include "backends/vulkan/kernel_list.h"
#include "backends/vulkan/vulkan_backend.h"
#include "core/base/geometry.h"
#include "core/cells/state_hash.h"
#include "tests/support/allocations.h"
#include "tests/support/kernels.h"
#include "tests/support/surveys.h"
#include "tests/vulkan/first_gpu.h"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::vulkan;

namespace {

// A shape of one tile a workgroup, which chains.
KernelShape chained_shape(const BackendSpec& spec, const Tuning& tuning) {
  KernelShape shape = choose_shape(first_gpu(), "strips", spec, tuning);
  shape.chained = shape.tiles_per_group == 1;
  return shape;
}

GridPlan plan_of(const BackendSpec& spec, const KernelShape& shape) {
  return plan_grid(spec, shape, largest_chunk(first_gpu()), false);
}

std::unique_ptr<VulkanBackend> make_chained(const BackendSpec& spec, const Tuning& tuning) {
  const KernelShape shape = chained_shape(spec, tuning);
  const GridPlan plan = plan_of(spec, shape);
  if (plan.reach == 0) return nullptr;
  return std::make_unique<VulkanBackend>(
      Device::get(0), spec, BackendInfo{"vulkan", first_gpu().name, "strips", shape.tuning}, shape,
      plan);
}

}  // namespace

TEST_CASE("random grids in chained passes are the reference's") {
  if (const auto why = missing_for(first_gpu(), "strips")) {
    MESSAGE("skipped: " << *why);
    return;
  }
  const std::vector<std::string> rules{"B3/S23", "B36/S23", "B3-k/S23", "345/2/4"};
  const std::vector<Tuning> tunings{{2, 2, 2, 1, 0}, {3, 4, 3, 1, 0}, {4, 2, 4, 4, 0}};
  Draw draw(31);
  const std::int64_t cases = case_count(24);
  std::int64_t chained = 0, from_the_next = 0;
  for (std::int64_t n = 0; n < cases; n++) {
    const std::string& rule = rules[static_cast<std::size_t>(n) % rules.size()];
    const Boundary boundary = draw.chance(30) ? Boundary::plane : Boundary::torus;
    const BackendSpec spec =
        make_spec(draw.between(40, 900), draw.between(40, 1200), boundary, rule);
    const Tuning& tuning = tunings[static_cast<std::size_t>(draw.below(3))];
    INFO(fmt::format("case {}: {}, {}x{}, {}, T={}", n, rule, spec.width, spec.height,
                     boundary == Boundary::plane ? "plane" : "torus", tuning.generations));
    const auto grid = make_chained(spec, tuning);
    if (!grid) continue;
    const auto judge = test::reference().create(spec);
    chained++;
    const Soup soup{draw.word(), 20000};
    grid->fill(soup);
    judge->fill(soup);
    // An odd number of passes leaves the cells in the other half of the buffer.
    std::int64_t passes = 0;
    for (const std::int64_t generations : {draw.between(1, 9), draw.between(10, 120)}) {
      passes += ceil_div(generations, std::int64_t{tuning.generations});
      grid->step(generations);
      judge->step(generations);
      REQUIRE(hash_text(hash_of(*grid)) == hash_text(hash_of(*judge)));
    }
    from_the_next += passes % 2 != 0;
    const Soup block_soup{draw.word(), 50000, static_cast<std::uint16_t>(spec.rule.states())};
    const CellGrid block = make_soup_cells(block_soup, 30, 20, spec.rule.planes());
    grid->edit({3, 5}, block);
    judge->edit({3, 5}, block);
    grid->step(7);
    judge->step(7);
    REQUIRE((grid->download() == judge->download()));
    REQUIRE(population_of(*grid) == population_of(*judge));
    REQUIRE(bounds_of(*grid) == bounds_of(*judge));
  }
  CHECK(chained > cases / 3);
  CHECK(from_the_next > 0);
}

TEST_CASE("passes are chained where the kernel needs no help between them") {
  if (missing_for(first_gpu(), "strips")) return;
  const Tuning tuning{2, 2, 2, 1, 0};
  const auto reach = [&](std::int64_t height, Boundary boundary) {
    const BackendSpec spec = make_spec(300, height, boundary, "B3/S23");
    return plan_of(spec, chained_shape(spec, tuning)).reach;
  };
  const std::int64_t rows =
      chained_shape(make_spec(300, 999, Boundary::torus, "B3/S23"), tuning).tile_rows;
  const std::int64_t margin =
      chained_shape(make_spec(300, 999, Boundary::torus, "B3/S23"), tuning).margin;
  REQUIRE(margin > 1);
  const std::int64_t near = ceil_div(margin, rows);
  // Whole rows of tiles; and a last one with fewer rows than a margin, which the first one's tiles
  // see together with the one above it.
  CHECK(reach(20 * rows, Boundary::torus) == near);
  CHECK(reach(20 * rows + margin - 1, Boundary::torus) == near + 1);
  CHECK(reach(20 * rows, Boundary::plane) == near);
  // Tiles that look at all others have nothing to wait for but each other.
  CHECK(reach(2 * near * rows, Boundary::torus) == 0);
  // A torus whose margins the host writes, between passes.
  CHECK(reach(2 * margin - 1, Boundary::torus) == 0);
  // Two generations that fit no binding together.
  const BackendSpec spec = make_spec(300, 20 * rows, Boundary::torus, "B3/S23");
  const KernelShape shape = chained_shape(spec, tuning);
  const std::int64_t one = plan_of(spec, shape).chunks[0].bytes;
  CHECK(plan_grid(spec, shape, 2 * one, false).reach == 0);
  CHECK(plan_grid(spec, shape, 2 * one, false).problem.empty());
  CHECK(plan_grid(spec, shape, 3 * one + 65536, false).reach == near);
}
