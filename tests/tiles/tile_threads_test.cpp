// Threads that share the worklists of tiles: the same cells as one thread alone and as a grid.

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>

#include "backends/cpu/tile_pool.h"
#include "backends/drivers.h"
#include "core/cells/soup.h"
#include "core/tiles/tile_plane.h"
#include "core/universe.h"

using namespace tessera;

namespace {

constexpr std::int64_t kNoLimit = std::int64_t{1} << 62;

// All threads take part, however few tiles there are.
std::unique_ptr<TilePool> pool(const Rule& rule, int threads) {
  return std::make_unique<CpuTilePool>(rule, kNoLimit, threads, 1);
}

}  // namespace

TEST_CASE("threads that share a worklist make the same cells") {
  // Along the edges of the tori tiles repeat others.
  for (const char* text :
       {"B3/S23", "B36/S23", "B3678/S34678", "B3/S23:T701,500", "B36/S23:T480,397"}) {
    INFO(text);
    const RuleSpec spec = parse_rule_spec(text);
    const TileLayout layout(spec.topology, spec.width, spec.height);
    const bool torus = layout.bounded();
    const Rect all = layout.cells();
    TilePlane shared(spec.rule, pool(spec.rule, 4), layout);
    TilePlane alone(spec.rule, pool(spec.rule, 1), layout);
    Universe grid(spec, make_factory("cpu", "word", {}), 0, SpaceChoice::grid);
    for (int n = 0; n < 12; n++) {
      if (n % 3 == 0) {
        const BitGrid cells = make_soup(Soup::of(0.4, static_cast<std::uint64_t>(n)), 400, 300);
        const Cell at{torus ? 7 * n : 37 * n - 200, torus ? 90 : -90};
        shared.edit(at, cells);
        alone.edit(at, cells);
        // A layout's first cell is that of the universe.
        grid.edit({at.x + grid.extent().x * torus, at.y + grid.extent().y * torus}, cells);
      }
      const int generations = n % 4 == 1 ? 1 : 13;
      shared.step(generations);
      alone.step(generations);
      grid.step(generations);
      REQUIRE(shared.survey(kWholeSurvey) == alone.survey(kWholeSurvey));
      if (torus) {
        REQUIRE(shared.read(all) == grid.window(grid.extent()));
      } else {
        REQUIRE(shared.survey(kWholeSurvey) == grid.survey());
      }
    }
    CHECK(shared.cells_stepped() == alone.cells_stepped());
  }
}
