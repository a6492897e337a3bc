#pragma once

#include <cstdint>

#include "backends/cuda/kernel_params.h"
#include "backends/cuda/relay_plan.h"
#include "core/stepping/step_backend.h"

namespace tessera::cuda {

/// Columns that a window of kernels/march.cu owns.
inline constexpr std::int64_t kWindowColumns = 4032;
/// Segments of the last window in a warp, at most.
inline constexpr std::int64_t kWindowShare = 4;

/// Warps of a multiprocessor that take all of its registers.
inline constexpr std::int64_t kRegisterWarps = 8;
/// Threads per block of kernels that fill what lies beside a grid.
inline constexpr unsigned kFillThreads = 128;

/// Where the cells of a grid lie for the kernels march and cascade; kernels/march.cu explains it.
struct MarchLayout {
  Grid grid{};             ///< but for `storage`
  MarchRun run{};          ///< what it says about the layout, and the factors
  std::int64_t row = 0;    ///< bytes from row to row
  std::int64_t lanes = 0;  ///< that have columns of the last window, or of its halo
  bool fills = false;      ///< on a torus whose doors at the edges do not open into each other
};

/// Whether rows of so many cells are not too long.
bool march_takes(std::int64_t width);

/// Throws UnsupportedError, naming the kernel, for a grid whose rows are too long.
MarchLayout march_layout(const BackendSpec& spec, const char* kernel);

/// Of so many windows, the last of which has so many lanes.
MarchWindows march_windows(std::int64_t windows, std::int64_t lanes, std::int64_t most_shares);

/// How windows are cut into segments of so many rows at most.
struct MarchPlan {
  MarchWindows windows;
  std::int64_t segments, rows, warps;

  /// In rows of a warp: `at_once` are at work together, and each takes `more` rows than it has.
  double rows_of_time(std::int64_t at_once, double more) const;
};

/// A launch of a kernel with that layout and plan, but for what is about a pass.
MarchRun march_run(const MarchLayout& layout, const MarchPlan& plan);

/// The plan that takes the least time. A segment is for a warp or, in kernels whose blocks do the
/// work of one, for a block.
MarchPlan march_plan(const MarchLayout& layout, std::int64_t at_once, double more);

}  // namespace tessera::cuda
