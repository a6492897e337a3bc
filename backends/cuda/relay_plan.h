#pragma once

#include <cstdint>
#include <optional>

namespace tessera::cuda {

/// How windows are cut into segments, one a warp; several segments of a narrow last window may
/// share a warp.
struct MarchWindows {
  std::int64_t whole;  ///< windows of which each has warps of its own: all but the last, or all
  std::int64_t share;  ///< segments of the last window in a warp, at most; 0 where it has its own

  /// Warps for so many segments of each window.
  std::int64_t warps(std::int64_t segments) const;
};

/// How the kernel relay steps a torus; kernels/relay.cu explains the words.
struct RelayPlan {
  MarchWindows windows;   ///< whose share may be less than there is room for
  std::int64_t segments;  ///< of a window
  std::int64_t warps;     ///< all of which are on the device at once
  std::int64_t fours;     ///< times four rows of a segment
  std::int64_t longer;    ///< segments that have four rows more: the first, all or none of a warp
  std::int64_t chunks;    ///< of a pass
  std::int64_t lag;       ///< chunks that a warp may be ahead of another, and no more than one more

  /// Rows of the longest segment.
  std::int64_t rows() const { return 4 * (fours + (longer > 0 ? 1 : 0)); }
};

/// The plan with the shortest segments for at most `warps` warps, or nothing where segments are too
/// short for passes of `depth` generations. `height` is a multiple of four. Fewer segments share a
/// warp than may where only so those of a warp are of one length.
std::optional<RelayPlan> relay_plan(const MarchWindows& windows, std::int64_t height, int depth,
                                    std::int64_t warps);

/// The most chunks that a warp may be ahead, of segments of so many fours of rows; negative where
/// even none is too many.
std::int64_t relay_lag(std::int64_t fours, std::int64_t chunks, int depth);

}  // namespace tessera::cuda
