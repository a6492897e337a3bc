// The text of the kernel relay, compiled for the CPU and run warp by warp: all warps of a launch by
// turns, each until it waits for the others, in orders that bring them as far apart as they may
// come. Copies to shared memory are made as late as possible, or as early. Without a GPU; buffers
// end at inaccessible pages.
#include "together.cuh"
// After it, so that the kernel's own is not taken.
#include "relay.cu"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "backends/cpu/cpu_driver.h"
#include "backends/cuda/march_stepper.h"
#include "core/stepping/step_backend.h"
#include "tests/gpu/emulation/buffer.h"

TEST_CASE("the kernel relay, run on the CPU, steps as the CPU's own kernel does") {
  using namespace tessera;
  std::uint64_t seed = 7;
  const auto upto = [&](std::int64_t most) {
    return static_cast<std::int64_t>(mix64(seed++) % static_cast<std::uint64_t>(most + 1));
  };
  int sharing = 0, fewer = 0, uneven = 0, many = 0;
  for (int i = 0, tries = 0; i < 14; tries++) {
    REQUIRE(tries < 1000);
    // Columns of the last window: as few as there may be, some more, almost all.
    const std::int64_t lasts[] = {96, 32 * (3 + upto(5)), 32 * (3 + upto(122)), kMarchUseful};
    const BackendSpec spec{upto(2) * kMarchUseful + lasts[tries % 4], 4 * (30 + upto(110)),
                           Boundary::torus, parse_rule(TESSERA_RULE), 0};
    DeviceFacts facts;
    facts.major = 9;
    facts.multiprocessors = 1;
    const MarchStepper stepper(spec, {T, 0, 0, kWarps, 0}, facts);
    if (!stepper.relay()) continue;  // other grids have other ways
    i++;
    const RelayPlan& plan = *stepper.relay();
    INFO(spec.width, "x", spec.height, ": ", plan.segments, " segments, ", plan.rows(), " rows, ",
         plan.chunks, " chunks");
    sharing += plan.windows.share > 1 && plan.segments > 1;
    const std::int64_t lanes = stepper.relay_run(1).march.lanes;
    fewer += plan.windows.share > 1 && plan.longer > 0 &&
             plan.windows.share < std::min<std::int64_t>(32 / lanes, kRelayShare);
    uneven += plan.longer > 0;
    many += plan.segments > 3;
    const Grid& grid = stepper.grid();
    const auto cpu = cpu_driver().create(0, spec, "word", {});
    cpu->fill({seed, 30000});

    Buffer one(static_cast<std::size_t>(grid.storage)),
        other(static_cast<std::size_t>(grid.storage)),
        left(static_cast<std::size_t>(stepper.left_bytes())), counters(kRelayRing * 4);
    u32 *from = one.words(), *to = other.words();
    // What is no cell may be anything.
    for (std::int64_t n = 0; n < grid.storage / 4; n++)
      from[n] = to[n] = static_cast<u32>(mix64(static_cast<std::uint64_t>(n)));
    const BitGrid start = cpu->download().plane(0);
    const Box all{0, 0, spec.width, spec.height};
    for (i64 n = 0; n < layout_pieces(grid, all); n++)
      layout_paste(grid, from, all, n, start.words().data(), grid.words);
    for (const emulated::Order order : emulated::kOrders) {
      const std::int64_t passes = 1 + upto(4);
      std::fill_n(counters.words(), kRelayRing, 0u);
      RelayRun run = stepper.relay_run(passes);
      run.even = from;
      run.odd = to;
      run.left = left.words();
      run.arrivals = counters.words();
      copies_at_once = upto(1) == 0;
      const auto progress = [&] {
        u64 counted = 0;
        for (u32 n = 0; n < kRelayRing; n++) counted += counters.words()[n];
        // Of warps within their blocks, too.
        for (const std::vector<uint4>& room : rooms) {
          for (std::size_t n = room.size() - kRelayMeeting / 16; n < room.size(); n++)
            counted += u64{room[n].x} + room[n].y + room[n].z + room[n].w;
        }
        return counted;
      };
      const emulated::Parts parts{static_cast<std::size_t>(stepper.relay_shape().blocks), kWarps,
                                  32, static_cast<std::size_t>(stepper.relay_room()) / 16};
      REQUIRE(emulated::run_together(
          parts, [&] { relay(grid, run); }, order, progress, seed));
      if (passes % 2 != 0) std::swap(from, to);
      cpu->step(T * passes);
      const BitGrid want = cpu->download().plane(0);
      std::int64_t wrong = 0;
      for (i64 y = 0; y < grid.height; y++) {
        for (i64 n = 0; n < grid.words; n++) {
          wrong += layout_word(grid, from, n, y) !=
                   want.words()[static_cast<std::size_t>(y * grid.words + n)];
        }
      }
      REQUIRE(wrong == 0);
    }
  }
  CHECK(sharing > 1);
  CHECK(fewer > 0);
  CHECK(uneven > 1);
  CHECK(many > 1);
}
