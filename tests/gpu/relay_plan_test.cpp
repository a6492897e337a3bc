// How the kernel relay cuts grids into segments.

#include "backends/cuda/relay_plan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>

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
