#include "backends/cuda/relay_plan.h"

#include <algorithm>

#include "backends/cuda/kernel_params.h"
#include "core/base/geometry.h"

namespace tessera::cuda {

namespace {

constexpr std::int64_t kFewestChunks = 3, kMostChunks = 8;
// A warp that must not be ahead of any other waits for the slowest all the time.
constexpr std::int64_t kLeastLag = 1;

// Fours of rows that a warp has been given after so many chunks.
std::int64_t fours_after(std::int64_t ended, std::int64_t fours, std::int64_t chunks) {
  return ended / chunks * fours + relay_chunk(static_cast<u32>(fours), static_cast<u32>(chunks),
                                              static_cast<u32>(ended % chunks));
}

}  // namespace

std::int64_t MarchWindows::warps(std::int64_t segments) const {
  return whole * segments + (share > 0 ? ceil_div(segments, share) : 0);
}

std::int64_t relay_lag(std::int64_t fours, std::int64_t chunks, int depth) {
  const std::int64_t fill = depth / 2;  // fours of rows until the last stage makes its first row
  if (relay_chunk(static_cast<u32>(fours), static_cast<u32>(chunks), 1) < fill) return -1;
  // What the warp below leaves in its first chunk is fetched in the last, and a chunk before that
  // begins it must be there.
  std::int64_t most = chunks - 2;
  for (std::int64_t chunk = 0; chunk < chunks; chunk++) {
    const std::int64_t ended = 2 * chunks + chunk;  // in a pass that has some before it
    // The doors: rows until the end of the chunk, and the four that is fetched ahead, have come out
    // of the last stage a pass before.
    const std::int64_t needed = fours_after(ended + 1, fours, chunks) + 1 + fill - fours;
    while (most >= 0 && fours_after(ended - most, fours, chunks) < needed) most--;
  }
  return most;
}

std::optional<RelayPlan> relay_plan(const MarchWindows& windows, std::int64_t height, int depth,
                                    std::int64_t warps) {
  std::optional<RelayPlan> best;
  const std::int64_t all = height / 4;
  for (std::int64_t segments = 1; segments <= all; segments++) {
    if (windows.warps(segments) > warps) break;
    RelayPlan plan{windows, segments, 0, all / segments, all % segments, 0, 0};
    // The segments of a warp are of one length. With other numbers of segments alone, some heights
    // took twice the rows of others near them.
    while (plan.windows.share > 1 && plan.longer % plan.windows.share != 0) plan.windows.share--;
    plan.warps = plan.windows.warps(segments);
    if (plan.warps > warps) continue;
    if (best && plan.rows() >= best->rows()) continue;
    for (plan.chunks = kFewestChunks; plan.chunks <= kMostChunks; plan.chunks++) {
      plan.lag = relay_lag(plan.fours, plan.chunks, depth);
      if (plan.longer > 0)
        plan.lag = std::min(plan.lag, relay_lag(plan.fours + 1, plan.chunks, depth));
      if (plan.lag >= kLeastLag) break;
    }
    if (plan.lag >= kLeastLag) best = plan;
  }
  return best;
}

}  // namespace tessera::cuda
