// The text of the kernel resident, compiled for the CPU in one shape (TESSERA_W, _R, _WARPS,
// _TORUS) with the text of one rule (TESSERA_RULE): all blocks of a launch by turns, each until it
// waits for its neighbours, in orders that bring them as far apart as they may come. Without a GPU;
// buffers end at inaccessible pages.
#include "together.cuh"
// After it, so that the kernel's own is not taken.
#include "resident.cu"

#include <doctest/doctest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "backends/cpu/cpu_driver.h"
#include "backends/cuda/resident_stepper.h"
#include "core/base/error.h"
#include "core/stepping/step_backend.h"
#include "tests/gpu/emulation/buffer.h"

TEST_CASE("the kernel resident, run on the CPU, steps as the CPU's own kernel does") {
  using namespace tessera;
  std::uint64_t seed = 5;
  const auto upto = [&](std::int64_t most) {
    return static_cast<std::int64_t>(mix64(seed++) % static_cast<std::uint64_t>(most + 1));
  };
  int many = 0, alone = 0, shallow = 0;
  for (int i = 0, tries = 0; i < TESSERA_TRIALS; tries++) {
    REQUIRE(tries < 1000);
    BackendSpec spec;
    spec.boundary = TESSERA_TORUS ? Boundary::torus : Boundary::plane;
    spec.rule = parse_rule(TESSERA_RULE);
    // By turns several regions both ways, one at least one way, and any number.
    const bool torus = TESSERA_TORUS;
    const auto side = [&](std::int64_t region, bool one) {
      if (tries % 4 == 0) return 2 * region + upto(region);
      if (torus && one) return 1 + upto(tries % 4 == 1 ? 9 : region / 2);
      return torus ? 1 + upto(3 * region) : region + upto(2 * region);
    };
    spec.width = side(kRegionColumns, tries % 8 < 4 && tries % 4 != 3);
    spec.height = side(kRegionRows, tries % 8 > 4 && tries % 4 != 3);
    DeviceFacts facts;
    facts.multiprocessors = 20;
    const Tuning shape{static_cast<int>(tries % 3 == 0 ? 1 + upto(5) : 0), R, W, K, 0};
    std::unique_ptr<ResidentStepper> stepper;
    try {
      stepper = std::make_unique<ResidentStepper>(spec, shape, facts);
    } catch (const UnsupportedError&) {
      continue;  // does not fit
    }
    i++;
    const Grid& grid = stepper->grid();
    INFO(spec.width, "x", spec.height, ": ", grid.units, "x", grid.last, " regions, halo ",
         grid.left);
    many += grid.units > 2 && grid.last > 2;
    alone += grid.units == 1 || grid.last == 1;
    shallow += grid.left < 4;
    const auto cpu = cpu_driver().create(0, spec, "reference", {});
    cpu->fill({seed, 30000});
    const auto bytes = static_cast<std::size_t>(grid.storage);
    const auto row_bytes = static_cast<std::size_t>(stepper->row_bytes()),
               column_bytes = static_cast<std::size_t>(stepper->column_bytes());
    Buffer cells(bytes), rows(row_bytes), columns(column_bytes);
    const std::span<u32> letters[] = {std::span(rows.words(), row_bytes / 4),
                                      std::span(columns.words(), column_bytes / 4)};
    // What is no cell may be anything.
    for (std::size_t n = 0; n < bytes / 4; n++)
      cells.words()[n] = static_cast<u32>(mix64(static_cast<std::uint64_t>(n)));
    const BitGrid start = cpu->download().plane(0);
    const Box all{0, 0, spec.width, spec.height};
    for (i64 n = 0; n < layout_pieces(grid, all); n++)
      layout_paste(grid, cells.words(), all, n, start.words().data(), grid.words);
    // Counted cyclically.
    u32 met = ~0u - 2;
    for (const std::span<u32> some : letters) std::ranges::fill(some, met);
    for (const emulated::Order order : emulated::kOrders) {
      const std::int64_t generations = 1 + upto(3 * grid.left);
      ResidentRun run = stepper->run(generations);
      run.cells = cells.words();
      run.rows = rows.words();
      run.columns = reinterpret_cast<u64*>(columns.words());
      run.met = met;
      const auto progress = [&] {
        u64 sum = 0;
        for (const std::span<u32> some : letters) {
          for (const u32 word : some) sum += word;
        }
        return sum;
      };
      const emulated::Parts blocks{{static_cast<std::size_t>(stepper->shape().blocks)},
                                   1,
                                   32 * K,
                                   static_cast<std::size_t>(resident_room(R, K)) / 16};
      REQUIRE(emulated::run_together(
          blocks, [&](std::size_t) { resident(grid, run); }, order, progress, seed));
      const std::int64_t rounds = stepper->rounds(generations);
      met += static_cast<u32>(rounds);
      cpu->step(generations);
      const BitGrid want = cpu->download().plane(0);
      std::int64_t wrong = 0;
      for (i64 y = 0; y < grid.height; y++) {
        for (i64 n = 0; n < grid.words; n++) {
          wrong += layout_word(grid, cells.words(), n, y) !=
                   want.words()[static_cast<std::size_t>(y * grid.words + n)];
        }
      }
      REQUIRE(wrong == 0);
    }
  }
  CHECK(many > 0);
  CHECK(shallow > 0);
#if TESSERA_TORUS
  CHECK(alone > 0);
#endif
}

TEST_CASE("resident is chosen for grids that fit the registers, and no others") {
  using namespace tessera;
  DeviceFacts facts;
  facts.major = 9;
  facts.multiprocessors = 132;
  facts.clock_khz = 1980000;
  facts.cache = 50 << 20;
  const auto chosen = [&](std::int64_t width, std::int64_t height) {
    return ResidentStepper::suits({width, height, Boundary::torus, kLife, 0}, facts);
  };
  CHECK(chosen(8192, 8192));
  CHECK(chosen(4096, 4096));
  CHECK(chosen(2048, 16384));
  CHECK(!chosen(1024, 1024));
  CHECK(!chosen(9216, 9216));
  CHECK(!chosen(65536, 65536));
  CHECK(!chosen(0, 0));
  CHECK(!chosen(std::int64_t{1} << 31, 1));
  BackendSpec spec{8192, 8192, Boundary::plane, kLife, 0};
  CHECK(ResidentStepper::suits(spec, facts));
  spec.boundary = Boundary::sphere;
  CHECK(!ResidentStepper::suits(spec, facts));
  spec.boundary = Boundary::plane;
  spec.tiles = true;
  CHECK(!ResidentStepper::suits(spec, facts));
  spec.tiles = false;
  spec.odd_rule = kLife;
  CHECK(!ResidentStepper::suits(spec, facts));
  spec.odd_rule.reset();
  facts.major = 8;
  CHECK(!ResidentStepper::suits(spec, facts));
  // A lane would have rows of two halos.
  CHECK_THROWS_AS(ResidentStepper({4096, 1, Boundary::torus, kLife, 0}, {}, facts),
                  UnsupportedError);
}
