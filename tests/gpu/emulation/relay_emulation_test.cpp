// The text of the kernel relay, compiled for the CPU and run warp by warp: all warps of a launch by
// turns, each until it waits for the others, in orders that bring them as far apart as they may
// come. Copies to shared memory are made as late as possible, or as early. Without a GPU.
#include "relay_grid.cuh"

#include <doctest/doctest.h>

#include <algorithm>

#include "backends/cpu/cpu_driver.h"
#include "core/stepping/step_backend.h"

TEST_CASE("the kernel relay, run on the CPU, steps as the CPU's own kernel does") {
  using namespace tessera;
  std::uint64_t seed = 7;
  const auto upto = [&](std::int64_t most) {
    return static_cast<std::int64_t>(mix64(seed++) % static_cast<std::uint64_t>(most + 1));
  };
  int sharing = 0, fewer = 0, uneven = 0, many = 0;
  for (int i = 0, tries = 0; i < 20; tries++) {
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
    const auto cpu = cpu_driver().create(0, spec, "word", {});
    cpu->fill({seed, 30000});
    emulated::RelayGrid grid(stepper);
    grid.paste(cpu->download().plane(0), 0);
    for (const emulated::Order order : emulated::kOrders) {
      const RelayRun run = grid.launch(stepper.relay_run(1 + upto(4)));
      copies_at_once = upto(1) == 0;
      const emulated::Parts parts{{static_cast<std::size_t>(stepper.relay_shape().blocks)},
                                  kWarps,
                                  32,
                                  static_cast<std::size_t>(stepper.relay_shape().shared) / 16};
      REQUIRE(emulated::run_together(
          parts, [&](std::size_t) { relay(stepper.grid(), run); }, order,
          [&] { return grid.progress() + emulated::progress_of_blocks(); }, seed));
      grid.end_launch(run);
      cpu->step(T * run.passes);
      REQUIRE(grid.wrong(cpu->download().plane(0), 0) == 0);
    }
  }
  CHECK(sharing > 1);
  CHECK(fewer > 0);
  CHECK(uneven > 1);
  CHECK(many > 1);
}
