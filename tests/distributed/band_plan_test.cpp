// How rows are cut into bands, and how deep halos are.

#include "backends/distributed/band_plan.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <random>

#include "backends/distributed/distributed_plan.h"
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

TEST_CASE("halos are as deep as makes steps and exchanges take the least time") {
  // A second for every generation and ten for every start.
  const auto even = [](std::int64_t count) -> std::optional<double> {
    return 10.0 + static_cast<double>(count);
  };
  CHECK(quickest_halo(400, 5, even) == 384);
  CHECK(quickest_halo(100, 5, even) == 96);
  CHECK_FALSE(quickest_halo(31, 5, even).has_value());
  // From 200 generations on a tenth more: with dear exchanges worth it, otherwise not.
  const auto step = [&](std::int64_t count) { return *even(count) * (count > 200 ? 1.1 : 1.0); };
  CHECK(quickest_halo(1000, 5, step) == 192);
  CHECK(quickest_halo(384, 500, step) == 384);
  // Not deeper for what nobody can measure.
  const auto flat = [](std::int64_t count) { return static_cast<double>(count); };
  CHECK(quickest_halo(1000, 0.01, flat) == 32);
  // Only what is known.
  const auto some = [&](std::int64_t count) { return count == 64 ? even(count) : std::nullopt; };
  CHECK(quickest_halo(1000, 5, some) == 64);
  CHECK_FALSE(quickest_halo(1000, 5, [](std::int64_t) { return std::optional<double>(); }));
}

TEST_CASE("parts that know what their bands take choose the halos of a grid") {
  const BackendSpec spec{4096, 3000, Boundary::torus, kLife, 0};
  HaloCosts costs{5e13, 4e-5};
  const auto halo = [&](const BandOptions& options) {
    return plan_grid(spec, {1.0, 1.0, 4.0}, options, costs).halo;
  };
  const std::int64_t by_rates = halo({});
  // The third part has 2000 rows and the halos above and below; what is higher than 2300 rows takes
  // for ever.
  costs.band_seconds = [](std::size_t part, const BackendSpec& band, std::int64_t count) {
    CHECK(band.width == 4096);
    CHECK(band.halo_rows == 2 * count);
    CHECK(band.height == (part == 2 ? 2000 : 500) + 2 * count);
    return std::optional<double>(band.height > 2300 ? 1e9 : 1.0);
  };
  CHECK(halo({}) == 128);
  CHECK(halo({40}) == 40);
  // Nor does the last one alone decide.
  costs.band_seconds = [](std::size_t part, const BackendSpec&, std::int64_t count) {
    return std::optional<double>(part == 0 && count > 96 ? 1e9 : 1.0);
  };
  CHECK(halo({}) == 96);
  // One that does not know is enough.
  costs.band_seconds = [](std::size_t part, const BackendSpec&, std::int64_t) {
    return part == 1 ? std::nullopt : std::optional<double>(1.0);
  };
  CHECK(by_rates != 128);
  CHECK(halo({}) == by_rates);
}
