// How the kernel relay cuts grids into segments, and what steps by it are estimated to take.

#include "backends/cuda/relay_plan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "backends/cuda/march_stepper.h"
#include "backends/distributed/distributed_plan.h"
#include "core/base/geometry.h"

using namespace tessera;
using namespace tessera::cuda;

namespace {

constexpr int kDepth = 8;

// What the kernel takes for granted.
void check_plan(const RelayPlan& plan, const MarchWindows& windows, std::int64_t height,
                std::int64_t warps) {
  CHECK(4 * (plan.segments * plan.fours + plan.longer) == height);
  CHECK(plan.longer < plan.segments);
  CHECK(plan.windows.whole == windows.whole);
  CHECK(plan.windows.share <= windows.share);
  CHECK((plan.windows.share > 0) == (windows.share > 0));
  if (windows.share > 0) CHECK(plan.longer % plan.windows.share == 0);
  CHECK(plan.warps == plan.windows.warps(plan.segments));
  CHECK(plan.warps <= warps);
  CHECK(plan.lag >= 1);
  CHECK(plan.lag <= relay_lag(plan.fours, plan.chunks, kDepth));
  if (plan.longer > 0) CHECK(plan.lag <= relay_lag(plan.fours + 1, plan.chunks, kDepth));
}

DeviceFacts facts_of(int multiprocessors) {
  DeviceFacts facts;
  facts.major = 9;
  facts.multiprocessors = multiprocessors;
  facts.clock_khz = 1'980'000;
  return facts;
}

}  // namespace

TEST_CASE("segments cover every height, and none costs much more than those near it") {
  // Windows of their own and those of several segments a warp, as widths from 8192 to 131072 have
  // them, and a few others.
  const MarchWindows all[] = {{2, 8}, {4, 8},  {6, 6},  {8, 6},  {12, 4}, {14, 4}, {16, 3},
                              {7, 2}, {20, 2}, {33, 0}, {22, 5}, {9, 1},  {31, 7}};
  for (const std::int64_t warps : {1056, 912}) {
    for (const MarchWindows& windows : all) {
      CAPTURE(windows.whole);
      CAPTURE(windows.share);
      // The segments that there may be are few for wide grids, so that lengths go by fours.
      const std::int64_t most = warps * std::max<std::int64_t>(1, windows.share) /
                                (windows.whole * std::max<std::int64_t>(1, windows.share) + 1);
      std::int64_t tallest = 0;
      for (std::int64_t height = 8192; height <= 40000; height += height < 8600 ? 4 : 236) {
        CAPTURE(height);
        const std::optional<RelayPlan> plan = relay_plan(windows, height, kDepth, warps);
        if (!plan) continue;
        check_plan(*plan, windows, height, warps);
        // Shared evenly, in whole fours; a tenth more where fewer segments may share a warp.
        const std::int64_t rows = 4 * ceil_div(height, 4 * most);
        if (rows >= 64) CHECK(10 * plan->rows() <= 11 * rows + 40);
        tallest = std::max(tallest, plan->rows());
      }
      CHECK(tallest > 0);
    }
  }
}

TEST_CASE("bands of 65536 columns have rows as their height, whatever their halos") {
  const MarchWindows windows{16, 3};
  for (std::int64_t halo = 0; halo <= 384; halo += 8) {
    CAPTURE(halo);
    const std::optional<RelayPlan> plan = relay_plan(windows, 65536 + 2 * halo, kDepth, 1056);
    REQUIRE(plan.has_value());
    check_plan(*plan, windows, 65536 + 2 * halo, 1056);
    CHECK(plan->segments == 64);
    CHECK(plan->rows() == 4 * ceil_div(65536 + 2 * halo, 4 * 64));
  }
}

TEST_CASE("estimates of relay count passes, launches and the rows of the longest segment") {
  const auto seconds = [](const BackendSpec& spec, std::int64_t generations) {
    return MarchStepper(spec, {}, facts_of(132)).relay_seconds(generations);
  };
  const BackendSpec band{32768, 16384 + 2 * 256, Boundary::torus, kLife, 0};
  const double shorter = seconds(band, 128).value(), longer = seconds(band, 256).value();
  CHECK(longer > 1.9 * shorter);
  CHECK(longer < 2 * shorter);  // a launch, too, costs time
  // Measured on one H100: 82 us for eight generations of 32768x16384 in launches of many passes.
  BackendSpec alone = band;
  alone.height = 16384;
  CHECK(seconds(alone, 1024).value() == doctest::Approx(128 * 82e-6).epsilon(0.05));
  // The same segments take the same time.
  BackendSpec less = band;
  less.height = 16384 + 2 * 128;
  CHECK(seconds(less, 256) == seconds(band, 256));
  // More gates.
  BackendSpec other = band;
  other.rule = parse_rule("B36/S23");
  CHECK(seconds(other, 256).value() > longer);

  CHECK_FALSE(seconds(band, 24).has_value());  // a launch a pass
  BackendSpec uneven = band;
  uneven.height++;
  CHECK_FALSE(seconds(uneven, 256).has_value());
  BackendSpec plane = band;
  plane.boundary = Boundary::plane;
  CHECK_FALSE(seconds(plane, 256).has_value());
}

TEST_CASE("halos are as deep as segments of whole fours make worthwhile") {
  HaloCosts costs{4e13, kDeviceExchange, 1, kDeviceDeepest};
  costs.band_seconds = [](std::size_t, const BackendSpec& band, std::int64_t generations) {
    return MarchStepper(band, {}, facts_of(132)).relay_seconds(generations);
  };
  const auto halo = [&](std::int64_t width, std::int64_t rows, Boundary boundary) {
    const BackendSpec whole{width, 2 * rows, boundary, kLife, 0};
    return plan_grid(whole, {1.0, 1.0}, {}, costs).halo;
  };
  // Halos of 96 rows need segments of 132, which have room for 256.
  CHECK(halo(32768, 16384, Boundary::torus) == 256);
  // Segments have room for 128 before they grow.
  CHECK(halo(32768, 32768, Boundary::torus) == 128);
  CHECK(halo(65536, 32768, Boundary::torus) == 128);
  CHECK(halo(65536, 65536, Boundary::torus) == 128);
  // Where an exchange is little beside a pass.
  CHECK(halo(131072, 65536, Boundary::torus) == 64);
  // Relay steps no plane, and nothing so low: the square root decides.
  const std::int64_t by_root = choose_halo(32768, 16384, costs);
  CHECK(by_root == 128);
  CHECK(halo(32768, 16384, Boundary::plane) == by_root);
  CHECK(halo(32768, 2048, Boundary::torus) == by_root);
}
