#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/distributed/rank_worker.h"
#include "backends/distributed/shared_tiles.h"
#include "backends/distributed/shared_tiles_backend.h"
#include "core/universe.h"
#include "tests/tiles/universe_pair.h"

namespace tessera::test {

/// Tiles are divided however few they are, and cuts move after every step.
inline constexpr SharePolicy kRestless{.worth = 0, .uneven = 1, .interval = 1};

/// Tiles over all ranks of a worker, restless.
inline BackendFactory restless_factory(RankWorker& worker, int ranks,
                                       const std::string& kernel = "simd") {
  return [&worker, ranks, kernel](const BackendSpec& spec) {
    const TileOrder order{"cpu", kernel, {}, spec, std::vector<std::int64_t>(ranks, 0)};
    return std::make_unique<SharedTilesBackend>(
        spec, BackendInfo{"cpu", "ranks", kernel, {}}, [&worker, order] {
          return std::make_unique<SharedTiles>(worker.open_tiles(order), kRestless);
        });
  };
}

/// So many random lives, from `first` on, as tiles of the factory and as one grid: every second one
/// on the infinite plane, the others in bounded universes.
inline void check_random_lives(const BackendFactory& factory, std::int64_t first,
                               std::int64_t cases) {
  for (std::int64_t i = first; i < first + cases; i++) {
    const auto seed = static_cast<std::uint64_t>(i);
    const auto make = [&](const RuleSpec& spec) {
      return Universe(spec, factory, 0, SpaceChoice::tiles);
    };
    std::string wrong;
    if (i % 2 == 0) {
      Random random(seed);
      const RuleSpec spec{random_rule(random), Topology::infinite, 0, 0};
      wrong = random_life(random, make(spec), {-300, -200, 600, 400}, 300);
    } else {
      wrong = random_bounded_life(seed, make);
    }
    INFO("seed " << seed);
    REQUIRE_MESSAGE(wrong.empty(), wrong);
  }
}

}  // namespace tessera::test
