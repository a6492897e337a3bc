// How rows are cut into bands, and how deep halos are.

#include "backends/distributed/band_plan.h"

#include <doctest/doctest.h>

#include <random>

#include "backends/distributed/halo_depth.h"

using namespace tessera;

TEST_CASE("bands of equal weights differ by one row at most") {
  for (std::int64_t rows = 1; rows <= 40; rows++) {
    for (std::size_t parts = 1; parts <= 9; parts++) {
      CAPTURE(rows);
      CAPTURE(parts);
      const std::vector<BandRows> bands = plan_bands(rows, std::vector<double>(parts, 2.5));
      const std::int64_t used = std::min(rows, static_cast<std::int64_t>(parts));
      REQUIRE(static_cast<std::int64_t>(bands.size()) == used);
      std::int64_t next = 0;
      for (const BandRows& band : bands) {
        CHECK(band.first == next);
        CHECK(band.rows >= rows / used);
        CHECK(band.rows <= rows / used + 1);
        next = band.end();
      }
      CHECK(next == rows);
    }
  }
}

TEST_CASE("bands are as high as their parts are fast, but none is too low for its halos") {
  CHECK(plan_bands(1000, {3, 1}) == std::vector<BandRows>{{0, 750}, {750, 250}});
  CHECK(plan_bands(1000, {1, 1e9, 1}, 100) ==
        std::vector<BandRows>{{0, 100}, {100, 800}, {900, 100}});
  CHECK(plan_bands(10, {1e9, 1, 1}, 100) == std::vector<BandRows>{{0, 4}, {4, 3}, {7, 3}});
  std::mt19937_64 random(5);
  for (int round = 0; round < 2000; round++) {
    const auto rows = static_cast<std::int64_t>(1 + random() % 5000);
    std::vector<double> weights(1 + random() % 12);
    for (double& weight : weights) weight = 1e-3 + static_cast<double>(random() % 100000);
    const auto least = static_cast<std::int64_t>(random() % 100);
    const std::vector<BandRows> bands = plan_bands(rows, weights, least);
    const std::int64_t floor =
        std::max<std::int64_t>(1, std::min(least, rows / static_cast<std::int64_t>(bands.size())));
    std::int64_t next = 0;
    for (const BandRows& band : bands) {
      REQUIRE(band.first == next);
      REQUIRE(band.rows >= floor);
      next = band.end();
    }
    REQUIRE(next == rows);
  }
}

TEST_CASE("halos are deeper where an exchange costs more and rows are shorter") {
  const HaloCosts costs{5e13, 4e-5};
  CHECK(choose_halo(65536, 30000, costs) == 128);
  CHECK(choose_halo(65536, 127, costs) == 96);
  CHECK(choose_halo(65536, 90, costs) == 64);
  CHECK(choose_halo(65536, 31, costs) == 24);
  CHECK(choose_halo(65536, 20, costs) == 16);
  CHECK(choose_halo(65536, 5, costs) == 5);
  CHECK(choose_halo(65536, 1, costs) == 1);
  CHECK(choose_halo(std::int64_t{1} << 40, 1000, costs) == 1);
  CHECK(choose_halo(1, 1 << 20, costs) == 960);
  CHECK(choose_halo(16384, 30000, costs) > choose_halo(65536, 30000, costs));
  CHECK(choose_halo(65536, 30000, {5e13, 4e-4}) > choose_halo(65536, 30000, costs));
}
