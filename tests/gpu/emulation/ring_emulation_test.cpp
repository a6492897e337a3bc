// The text of the kernel relay for bands of several devices, compiled for the CPU: the warps of all
// of them by turns, in orders that bring devices as far apart as they may come. Without a GPU.
#include "relay_grid.cuh"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "backends/cpu/cpu_driver.h"
#include "core/stepping/step_backend.h"

namespace {

using namespace tessera;

// A band and what its neighbours reach.
struct RingBand {
  RingBand(const BackendSpec& spec, std::int64_t halo, const DeviceFacts& facts)
      : stepper(spec, {T, 0, 0, kWarps, 0}, facts) {
    stepper.make_band({halo, halo});
    if (stepper.enter_ring()) grid = std::make_unique<emulated::RelayGrid>(stepper);
  }
  MarchStepper stepper;
  std::unique_ptr<emulated::RelayGrid> grid;  // null: it cannot stand in a ring
  Buffer told{2 * sizeof(u32)};
  u32 before = 0;
};

}  // namespace

TEST_CASE("rings of bands, run on the CPU, step as the CPU's own kernel does") {
  std::uint64_t seed = 11;
  const auto upto = [&](std::int64_t most) {
    return static_cast<std::int64_t>(mix64(seed++) % static_cast<std::uint64_t>(most + 1));
  };
  DeviceFacts facts;
  facts.major = 9;
  facts.multiprocessors = 1;
  int unlike = 0, sharing = 0, apart = 0, alone = 0;
  for (int i = 0, tries = 0; i < 8; tries++) {
    REQUIRE(tries < 1000);
    const std::int64_t width = upto(1) * kMarchUseful + 32 * (3 + upto(60));
    const std::int64_t halo = 8 * (1 + upto(5)) + upto(7);
    const auto count = static_cast<std::size_t>(2 + upto(1));
    std::vector<std::unique_ptr<RingBand>> bands;
    std::int64_t height = 0;
    for (std::size_t n = 0; n < count; n++) {
      const std::int64_t own = 4 * (12 + upto(60));
      height += own;
      BackendSpec spec{width, own + 2 * halo, Boundary::torus, parse_rule(TESSERA_RULE), 0};
      spec.halo_rows = 2 * halo;
      spec.peer_bands = true;
      bands.push_back(std::make_unique<RingBand>(spec, halo, facts));
    }
    if (!std::ranges::all_of(bands, [](const auto& band) { return band->grid != nullptr; }))
      continue;
    i++;
    const auto rows_of = [&](const RingBand& band) {
      return band.stepper.grid().height - 2 * halo;
    };
    unlike += bands[0]->stepper.relay()->segments != bands[1]->stepper.relay()->segments;
    sharing += bands[0]->stepper.relay()->windows.share > 1;
    alone += bands[0]->stepper.relay()->segments == 1;
    INFO(count, " bands, ", width, "x", height, ", halo ", halo);
    const auto cpu = cpu_driver().create(
        0, {width, height, Boundary::torus, parse_rule(TESSERA_RULE), 0}, "word", {});
    cpu->fill({seed, 30000});
    for (const emulated::Order order : emulated::kOrders) {
      // Halos are new; those below are not used.
      const BitGrid start = cpu->download().plane(0);
      std::int64_t first = 0;
      for (const auto& band : bands) {
        band->grid->paste(start.window({0, first, width, rows_of(*band)}), halo);
        const std::int64_t above = (first - halo + height) % height;
        for (std::int64_t y = 0; y < halo; y++)
          band->grid->paste(start.window({0, (above + y) % height, width, 1}), y);
        first += rows_of(*band);
      }
      // One launch of all bands, or two.
      const std::int64_t all = halo / T, once = all - upto(all - 1);
      for (std::int64_t left = all; left > 0; left -= std::min(left, once)) {
        std::vector<RelayRun> runs;
        emulated::Parts parts{
            {}, kWarps, 32, static_cast<std::size_t>(bands[0]->stepper.relay_shape().shared) / 16};
        for (std::size_t n = 0; n < count; n++) {
          RingBand &band = *bands[n], &above = *bands[(n + count - 1) % count],
                   &below = *bands[(n + 1) % count];
          RelayRun run = band.stepper.relay_run(left);
          run.passes = static_cast<u32>(std::min(left, once));
          run.ring.left_above = above.grid->left.words();
          run.ring.tells[0] = above.told.words() + 1;
          run.ring.tells[1] = below.told.words();
          run.ring.told = band.told.words();
          run.ring.before = band.before;
          band.before += (run.passes + 1) * run.ring.warps;
          runs.push_back(band.grid->launch(run));
          parts.blocks.push_back(static_cast<std::size_t>(band.stepper.relay_shape().blocks));
        }
        copies_at_once = upto(1) == 0;
        const auto progress = [&] {
          u64 counted = emulated::progress_of_blocks();
          for (const auto& band : bands) {
            counted += band->grid->progress() + band->told.words()[0] + band->told.words()[1];
          }
          return counted;
        };
        REQUIRE(emulated::run_together(
            parts, [&](std::size_t n) { relay(bands[n]->stepper.grid(), runs[n]); }, order,
            progress, seed));
        for (std::size_t n = 0; n < count; n++) bands[n]->grid->end_launch(runs[n]);
      }
      apart += once < all;
      cpu->step(T * all);
      const BitGrid want = cpu->download().plane(0);
      first = 0;
      for (const auto& band : bands) {
        REQUIRE(band->grid->wrong(want.window({0, first, width, rows_of(*band)}), halo) == 0);
        first += rows_of(*band);
      }
    }
  }
  CHECK(unlike > 1);
  CHECK(sharing > 1);
  CHECK(apart > 1);
  CHECK(alone > 0);
}
