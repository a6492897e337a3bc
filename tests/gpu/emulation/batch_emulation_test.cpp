// The text of the kernels whole and sliced, and that of the services of batches, compiled for the
// CPU in one shape (TESSERA_W, _R, _LANES, _WARPS, _PER_WORD, _TORUS; TESSERA_SLICED, whose size is
// any) with the text of one rule (TESSERA_RULE): every universe beside the reference, without a
// GPU.
#include "warp.cuh"
// After it, so that the kernel's own is not taken.
#include "batch_services.cu"
#if TESSERA_SLICED
#include "sliced.cu"
#else
#include "whole.cu"
#endif

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "backends/cpu/cpu_driver.h"
#include "backends/cuda/batch_shape.h"
#include "core/stepping/step_backend.h"
#include "tests/gpu/emulation/buffer.h"

using namespace tessera;
using namespace tessera::cuda;

namespace {

// The batch of this program's shape.
BatchShape shape_of(const BatchSpec& spec) {
#if TESSERA_SLICED
  return sliced_shape(spec);
#else
  BatchShape shape = whole_shape(spec, {}, {}).value();
  BatchGrid& grid = shape.grid;
  grid.per_word = TESSERA_PER_WORD;
  grid.columns = W;
  grid.rows = R;
  grid.lanes = L;
  grid.sets = 32 / L;
  grid.warps = kWarps;
  grid.tiles = (spec.universes + U * grid.sets - 1) / (U * grid.sets) * kWarps;
  return shape;
#endif
}

void run_warps(std::int64_t warps, std::int64_t a_block, const std::function<void()>& kernel) {
  emulated::warp.kernel = kernel;
  blockDim.x = static_cast<unsigned>(32 * a_block);
  gridDim.x = static_cast<unsigned>((warps + a_block - 1) / a_block);
  for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++) {
    if (a_block == TESSERA_WARPS && a_block > 1) {
      emulated::run_block(static_cast<unsigned>(a_block));
    } else {
      for (unsigned n = 0; n < a_block; n++) emulated::run_warp(n);
    }
  }
  threadIdx.x = blockIdx.x = 0;
  blockDim.x = gridDim.x = 1;
}

}  // namespace

TEST_CASE("batches on a GPU, run on the CPU, step as the reference does") {
  std::uint64_t draw = 9;
  const auto upto = [&](std::int64_t most) {
    return static_cast<std::int64_t>(mix64(draw++) % static_cast<std::uint64_t>(most + 1));
  };
  for (int trial = 0; trial < TESSERA_TRIALS; trial++) {
    BatchSpec spec;
#if TESSERA_SLICED
    spec.each.width = 1 + upto(trial % 3 == 0 ? 3 : 80);
    spec.each.height = 1 + upto(trial % 4 == 0 ? 3 : 60);
#else
    spec.each.width = W * 32 / U;
    spec.each.height = R * L * kWarps;
#endif
    // Few where the reference would take long.
    const std::int64_t cells = spec.each.width * spec.each.height;
    spec.universes = 1 + upto(trial % 2 == 0 ? 5 : std::min<std::int64_t>(150, 300'000 / cells));
    spec.each.boundary = TESSERA_TORUS ? Boundary::torus : Boundary::plane;
    spec.each.rule = parse_rule(TESSERA_RULE);
    const BatchShape shape = shape_of(spec);
    const BatchGrid& grid = shape.grid;
    INFO(spec.universes, " universes of ", spec.each.width, "x", spec.each.height);
    Buffer one(static_cast<std::size_t>(shape.storage())),
        other(static_cast<std::size_t>(shape.storage()));
    u32* from = one.words();
    [[maybe_unused]] u32* to = other.words();  // whole steps in place
    std::vector<u64> staged(static_cast<std::size_t>(batch_bytes(spec) / 8));
    const auto seed = static_cast<u64>(upto(1000));
    make_soups(grid, staged.data(), seed, 30000);
    pack(grid, staged.data(), from);
    const std::int64_t generations = 1 + upto(12);
#if TESSERA_SLICED
    for (std::int64_t g = 0; g < generations; g++) {
      run_warps(3, 2, [&] { step(grid, from, to); });
      std::swap(from, to);
    }
#else
    run_warps(grid.tiles, kBlockWarps, [&] { step(grid, from, static_cast<u32>(generations)); });
#endif
    const std::int64_t first = upto(spec.universes - 1);
    unpack(grid, from, staged.data(), first, spec.universes - first);
    const std::vector<u64> part = staged;
    unpack(grid, from, staged.data(), 0, spec.universes);
    const std::int64_t words = grid.words * grid.height;
    for (std::int64_t n = 0; n < (spec.universes - first) * words; n++)
      REQUIRE(part[static_cast<std::size_t>(n)] ==
              staged[static_cast<std::size_t>(n + first * words)]);
    std::vector<BatchFinding> found(static_cast<std::size_t>(spec.universes));
    run_warps(2, 1, [&] { survey(grid, staged.data(), found.data()); });
    const auto judge = cpu_driver().create(0, spec.each, "reference", {});
    for (std::int64_t u = 0; u < spec.universes; u++) {
      INFO("universe ", u);
      judge->fill({seed + static_cast<u64>(u), 30000});
      judge->step(generations);
      const Survey expected = judge->survey(kWholeSurvey);
      const BatchFinding& own = found[static_cast<std::size_t>(u)];
      REQUIRE(own.population == expected.population);
      REQUIRE(own.hash == expected.hash);
      REQUIRE((own.xmin <= own.xmax) == expected.bounds.has_value());
      if (expected.bounds)
        REQUIRE(Bounds{own.xmin, own.ymin, own.xmax, own.ymax} == *expected.bounds);
    }
  }
}
