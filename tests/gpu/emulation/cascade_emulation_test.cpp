// The text of the kernel cascade, compiled for the CPU in one shape (TESSERA_T, _WARPS, _ROWS,
// _TORUS) with the text of one rule (TESSERA_RULE): the warps of each block by turns, each until it
// waits for the others, in orders that bring them as far apart as they may come. Every way in which
// windows, segments and rows end, without a GPU. Buffers end at inaccessible pages.
#include "together.cuh"
// After it, so that the kernel's own is not taken.
#include "cascade.cu"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "backends/cpu/cpu_driver.h"
#include "backends/cuda/cascade_stepper.h"
#include "core/rules/rule_spec.h"
#include "core/stepping/step_backend.h"
#include "tests/gpu/emulation/buffer.h"
#include "tests/gpu/emulation/states.h"

TEST_CASE("the kernel cascade, run on the CPU, steps as the reference does") {
  using namespace tessera;
  std::uint64_t seed = 5;
  const auto upto = [&](std::int64_t most) {
    return static_cast<std::int64_t>(mix64(seed++) % static_cast<std::uint64_t>(most + 1));
  };
  int sharing = 0, joined = 0, cut = 0;
  for (int i = 0; i < 12; i++) {
    // Columns of the last window: a few; as many as share a warp or hardly do not; almost all.
    const std::int64_t lasts[] = {1 + upto(8), 32 * (1 + upto(30)), 960 + upto(200),
                                  1 + upto(kMarchUseful - 1)};
    const std::int64_t heights[] = {1 + upto(8), 1 + upto(2 * T), 40 + upto(60)};
    const BackendSpec spec{(i % 3 == 0 ? 1 + upto(1) : 0) * kMarchUseful + lasts[i % 4],
                           heights[i / 4], TESSERA_TORUS ? Boundary::torus : Boundary::plane,
                           parse_rule(TESSERA_RULE), 0};
    DeviceFacts facts;
    facts.multiprocessors = static_cast<int>(1 + upto(1));
    facts.shared = TESSERA_ROWS == 4 ? 227 << 10 : cascade_room(kWarps, P, kDoors, TESSERA_ROWS);
    INFO(spec.width, "x", spec.height, " on ", facts.multiprocessors);
    const CascadeStepper stepper(spec, {T, 0, 0, kWarps, 0}, facts);
    const Grid& grid = stepper.grid();
    const CascadeRun first = stepper.pass(T);
    REQUIRE(stepper.planes() == P);
    REQUIRE(stepper.shape().shared == cascade_room(kWarps, P, kDoors, TESSERA_ROWS));
    last_word = static_cast<int>(spec.width % W);
    sharing += first.march.share > 1 && first.march.segments > 1;
    joined += first.march.joined;
    cut += first.march.segments > 1;
    const auto cpu = cpu_driver().create(0, spec, "reference", {});
    if (spec.rule.states() == 2) {
      cpu->fill({seed, 30000});
    } else {
      cpu->upload(random_states(spec, seed));
    }

    Buffer one(static_cast<std::size_t>(grid.storage)),
        other(static_cast<std::size_t>(grid.storage));
    u32 *from = one.words(), *to = other.words();
    // What is no cell may be anything.
    for (std::int64_t n = 0; n < grid.storage / 4; n++)
      from[n] = to[n] = static_cast<u32>(mix64(static_cast<std::uint64_t>(n)));
    const Box all{0, 0, spec.width, spec.height};
    const i64 plane_words = grid.storage / 4 / P;
    const std::vector<BitGrid> start = planes_of(cpu->download(), stepper);
    for (int p = 0; p < P; p++) {
      for (i64 n = 0; n < layout_pieces(grid, all); n++) {
        layout_paste(grid, from + p * plane_words, all, n,
                     start[static_cast<std::size_t>(p)].words().data(), grid.words);
      }
    }
    for (const emulated::Order order : emulated::kOrders) {
      const std::int64_t generations = order == emulated::Order::any ? 1 + upto(T - 2) : T;
      threadIdx.x = blockIdx.x = 0;  // the only thread of a grid-stride kernel
      if (stepper.fills_sides()) fill_sides(grid, from, stepper.rows_filled());
      CascadeRun run = stepper.pass(generations);
      run.march.from = from;
      run.march.to = to;
      copies_at_once = upto(1) == 0;
      const emulated::Parts parts{{static_cast<std::size_t>(stepper.shape().blocks)},
                                  kWarps,
                                  32,
                                  stepper.shape().shared / 16};
      REQUIRE(emulated::run_together(
          parts, [&](std::size_t) { generations < T ? step_some(grid, run) : step(grid, run); },
          order, [] { return std::uint64_t{0}; }, seed));
      std::swap(from, to);
      cpu->step(generations);
      const CellGrid cells = cpu->download();
      const std::vector<BitGrid> want = planes_of(cells, stepper);
      const BitGrid live = cells.live();
      std::int64_t wrong = 0;
      for (i64 y = 0; y < grid.height; y++) {
        for (i64 n = 0; n < grid.words; n++) {
          const auto at = static_cast<std::size_t>(y * grid.words + n);
          wrong += layout_word(grid, from, n, y) != live.words()[at];
          for (int p = 0; p < P; p++) {
            wrong += march_cells<false>(grid, from + p * plane_words, n, y) !=
                     want[static_cast<std::size_t>(p)].words()[at];
          }
        }
      }
      REQUIRE(wrong == 0);
    }
  }
  CHECK(sharing > 0);
  CHECK(cut > 3);
  CHECK((!TESSERA_TORUS || joined > 1));
}
