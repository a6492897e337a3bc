// The text of the kernel march, compiled for the CPU for one number of generations and one boundary
// (TESSERA_T, _TORUS) and run warp by warp: every way in which windows, segments and rows end,
// without a GPU. Buffers end at inaccessible pages.
#include "warp.cuh"
// After it, so that the kernel's own is not taken.
#include "march.cu"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "backends/cpu/cpu_driver.h"
#include "backends/cuda/march_stepper.h"
#include "core/stepping/step_backend.h"
#include "tests/gpu/emulation/buffer.h"

TEST_CASE("the kernel march, run on the CPU, steps as the CPU's own kernel does") {
  using namespace tessera;
  const Boundary boundary = TESSERA_TORUS ? Boundary::torus : Boundary::plane;
  std::uint64_t seed = 5;
  const auto upto = [&](std::int64_t most) {
    return static_cast<std::int64_t>(mix64(seed++) % static_cast<std::uint64_t>(most + 1));
  };
  int sharing = 0, joined = 0, low = 0;
  for (int i = 0; i < 36; i++) {
    // Columns of the last window: a few; some more than its halo; as many as share a warp or hardly
    // do not; almost all.
    const std::int64_t lasts[] = {1 + upto(8),
                                  32 * (1 + upto(3)),
                                  32 * (4 + upto(100)),
                                  960 + upto(200),
                                  2000 + upto(100),
                                  1 + upto(kMarchUseful - 1),
                                  kMarchUseful - upto(31),
                                  128 * (1 + upto(14)),
                                  32};
    const std::int64_t heights[] = {1 + upto(8), 1 + upto(40), 4 * (1 + upto(30)), 60 + upto(60)};
    const BackendSpec spec{upto(2) * kMarchUseful + lasts[i % 9], heights[i / 9], boundary, kLife,
                           0};
    DeviceFacts facts;
    facts.multiprocessors = static_cast<int>(1 + upto(3));
    INFO(spec.width, "x", spec.height, " on ", facts.multiprocessors);
    const MarchStepper stepper(spec, {T, 0, 0, kWarps, 0}, facts);
    REQUIRE(stepper.tuning().generations == T);
    const Grid& grid = stepper.grid();
    last_word = static_cast<int>(spec.width % W);
    sharing += stepper.pass(1).share > 1 && stepper.pass(1).segments > 1;
    joined += stepper.pass(1).joined;
    low += stepper.fills_below();
    const auto cpu = cpu_driver().create(0, spec, "word", {});
    cpu->fill({seed, 30000});

    Buffer one(static_cast<std::size_t>(grid.storage)),
        other(static_cast<std::size_t>(grid.storage));
    u32 *from = one.words(), *to = other.words();
    // What is no cell may be anything.
    for (std::int64_t n = 0; n < grid.storage / 4; n++)
      from[n] = to[n] = static_cast<u32>(mix64(static_cast<std::uint64_t>(n)));
    const BitGrid start = cpu->download().plane(0);
    const Box all{0, 0, spec.width, spec.height};
    for (i64 n = 0; n < layout_pieces(grid, all); n++)
      layout_paste(grid, from, all, n, start.words().data(), grid.words);
    const auto fill_rows = [&] { fill_below(grid, from, stepper.pass(1).wrap); };
    threadIdx.x = blockIdx.x = 0;  // the only thread of a grid-stride kernel
    if (stepper.has_rows_below()) fill_rows();
    for (const std::int64_t generations : {std::int64_t{T}, std::int64_t{T}, 1 + upto(T - 1)}) {
      threadIdx.x = blockIdx.x = 0;
      if (stepper.fills_sides()) fill_sides(grid, from, stepper.rows_made());
      if (stepper.fills_below()) fill_rows();
      MarchRun run = stepper.pass(generations);
      run.from = from;
      run.to = to;
      emulated::warp.kernel = [&] { step(grid, run); };
      for (std::int64_t block = 0; block < stepper.shape().blocks; block++) {
        blockIdx.x = static_cast<unsigned int>(block);
        for (unsigned int n = 0; n < kWarps; n++) emulated::run_warp(n);
      }
      std::swap(from, to);
      cpu->step(generations);
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
  CHECK(sharing > 2);
  CHECK((!TESSERA_TORUS || (joined > 4 && low > 2)));
}
