// A grid that relay steps, with all memory that it needs; buffers end at inaccessible pages.
#ifndef TESSERA_RELAY_GRID_CUH
#define TESSERA_RELAY_GRID_CUH

#include "together.cuh"
// After it, so that the kernel's own is not taken.
#include "relay.cu"

#include <algorithm>
#include <utility>

#include "backends/cuda/march_stepper.h"
#include "core/cells/bit_grid.h"
#include "tests/gpu/emulation/buffer.h"

namespace emulated {

/// `stepper` has a plan for relay, in force from now on.
struct RelayGrid {
  explicit RelayGrid(const tessera::cuda::MarchStepper& of)
      : stepper(of),
        one(size(of.grid().storage)),
        other(size(of.grid().storage)),
        left(size(of.left_bytes())),
        counters(kRelayRing * 4),
        from(one.words()),
        to(other.words()) {
    // What is no cell may be anything.
    for (std::int64_t n = 0; n < of.grid().storage / 4; n++)
      from[n] = to[n] = static_cast<u32>(tessera::mix64(static_cast<std::uint64_t>(n)));
  }

  /// Replaces rows from row `y` on by those of a grid as wide.
  void paste(const tessera::BitGrid& cells, std::int64_t y) {
    const Grid& grid = stepper.grid();
    const Box box{0, y, grid.width, cells.height()};
    for (i64 n = 0; n < layout_pieces(grid, box); n++)
      layout_paste(grid, from, box, n, cells.words().data(), grid.words);
  }

  /// Words that differ from those of a grid as wide, in as many rows from row `y` on.
  std::int64_t wrong(const tessera::BitGrid& want, std::int64_t y) const {
    const Grid& grid = stepper.grid();
    std::int64_t count = 0;
    for (i64 row = 0; row < want.height(); row++) {
      for (i64 n = 0; n < grid.words; n++) {
        count += layout_word(grid, from, n, y + row) !=
                 want.words()[static_cast<std::size_t>(row * grid.words + n)];
      }
    }
    return count;
  }

  /// Gets memory ready for a launch, whose other values are there.
  RelayRun launch(RelayRun run) {
    std::fill_n(counters.words(), kRelayRing, 0u);
    run.even = from;
    run.odd = to;
    run.left = left.words();
    run.arrivals = counters.words();
    return run;
  }
  void end_launch(const RelayRun& run) {
    if (run.passes % 2 != 0) std::swap(from, to);
  }

  std::uint64_t progress() const {
    u64 counted = 0;
    for (u32 n = 0; n < kRelayRing; n++) counted += counters.words()[n];
    return counted;
  }

  static std::size_t size(std::int64_t bytes) { return static_cast<std::size_t>(bytes); }

  const tessera::cuda::MarchStepper& stepper;
  Buffer one, other, left, counters;
  u32 *from, *to;
};

/// Progress of warps within the blocks that run.
inline std::uint64_t progress_of_blocks() {
  u64 counted = 0;
  for (const std::vector<uint4>& room : rooms) {
    for (std::size_t n = room.size() - kRelayMeeting / 16; n < room.size(); n++)
      counted += u64{room[n].x} + room[n].y + room[n].z + room[n].w;
  }
  return counted;
}

}  // namespace emulated

#endif
