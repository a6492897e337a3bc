#include "backends/cuda/march_plan.h"

#include <algorithm>
#include <limits>
#include <string>

#include "backends/cuda/cuda_device.h"
#include "core/base/error.h"
#include "core/base/geometry.h"

namespace tessera::cuda {

namespace {

// As in kernels/layout_march.cuh.
constexpr std::int64_t kLane = 128, kHalo = 32;
static_assert(kWindowColumns == kWarpLanes * kLane - 2 * kHalo);
constexpr std::int64_t kBytes = 16;  // of a lane in a row

std::int64_t lanes_of_last(std::int64_t last) {
  return std::min(ceil_div(last + 2 * kHalo, kLane), kWarpLanes);
}

// An odd number of lines of the cache, lest rows fall on the same sets of it.
std::int64_t row_bytes(std::int64_t windows, std::int64_t lanes) {
  return (ceil_div(((windows - 1) * kWarpLanes + lanes) * kBytes, 128) | 1) * 128;
}

MarchPlan cut(const MarchWindows& windows, std::int64_t height, std::int64_t rows) {
  const std::int64_t segments = ceil_div(height, rows);
  return {windows, segments, rows, windows.warps(segments)};
}

}  // namespace

bool march_takes(std::int64_t width) {
  return row_bytes(ceil_div(width, kWindowColumns), kWarpLanes) <= std::numeric_limits<u32>::max();
}

MarchLayout march_layout(const BackendSpec& spec, const char* kernel) {
  MarchLayout layout;
  Grid& grid = layout.grid;
  grid.width = spec.width;
  grid.height = spec.height;
  grid.words = ceil_div(spec.width, 64);
  grid.units = ceil_div(spec.width, kWindowColumns);
  grid.last = spec.width - (grid.units - 1) * kWindowColumns;
  layout.lanes = lanes_of_last(grid.last);
  layout.row = row_bytes(grid.units, layout.lanes);
  if (!march_takes(spec.width)) {
    throw UnsupportedError("kernel " + std::string(kernel) + ": rows of " +
                           std::to_string(spec.width) + " cells are too long; it takes up to 2^34");
  }
  grid.stride = layout.row / 4;
  MarchRun& run = layout.run;
  run.one = 1;
  run.minus_two = ~1u;
  run.two = 2;
  run.pitch = static_cast<u32>(layout.row);
  run.lanes = static_cast<u32>(layout.lanes);
  // Positions within the last window.
  const std::int64_t west = grid.last, east = kHalo + grid.last;
  run.west_lane = static_cast<u32>(west / kLane);
  run.west_byte = static_cast<u32>(west % kLane / 32);
  run.east_lane = static_cast<u32>(east / kLane);
  run.east_byte = static_cast<u32>(east % kLane / 32);
  // A lane has one door.
  const bool torus = spec.boundary == Boundary::torus;
  run.joined = torus && spec.width % 32 == 0 && run.east_lane > 0;
  layout.fills = torus && !run.joined;
  return layout;
}

MarchWindows march_windows(std::int64_t windows, std::int64_t lanes, std::int64_t most_shares) {
  const bool shares = 2 * lanes <= kWarpLanes;
  return {shares ? windows - 1 : windows, shares ? std::min(kWarpLanes / lanes, most_shares) : 0};
}

double MarchPlan::rows_of_time(std::int64_t at_once, double more) const {
  return static_cast<double>(ceil_div(warps, at_once)) * (static_cast<double>(rows) + more);
}

MarchRun march_run(const MarchLayout& layout, const MarchPlan& plan) {
  MarchRun run = layout.run;
  run.warps = static_cast<u32>(plan.warps);
  run.whole = static_cast<u32>(plan.windows.whole);
  run.segments = static_cast<u32>(plan.segments);
  run.share = static_cast<u32>(std::max<std::int64_t>(plan.windows.share, 1));
  return run;
}

MarchPlan march_plan(const MarchLayout& layout, std::int64_t at_once, double more) {
  const MarchWindows windows = march_windows(layout.grid.units, layout.lanes, kWindowShare);
  const std::int64_t height = layout.grid.height, most = ceil_div(height, 4);
  MarchPlan best = cut(windows, height, 4 * most);
  // More segments than fill all multiprocessors once only make warps shorter.
  const std::int64_t enough = std::min(most, at_once * std::max<std::int64_t>(windows.share, 1) /
                                                 std::max<std::int64_t>(windows.whole, 1));
  for (std::int64_t segments = 2; segments <= enough; segments++) {
    const MarchPlan plan = cut(windows, height, 4 * ceil_div(most, segments));
    if (plan.rows_of_time(at_once, more) < best.rows_of_time(at_once, more)) best = plan;
  }
  return best;
}

}  // namespace tessera::cuda
