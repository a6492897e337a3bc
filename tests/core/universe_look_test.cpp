// What a universe looks like: the same as its cells.

#include <doctest/doctest.h>

#include <random>

#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/cells/soup.h"
#include "core/spaces/grid_view.h"
#include "core/universe.h"

using namespace tessera;

namespace {

// The view as its definition has it: from the cells of the rectangle.
DensityImage plain_view(Universe& universe, const Rect& rect, std::int64_t scale) {
  DensityImage image;
  reduce_density(universe.window(rect).plane(0), {0, 0, rect.width, rect.height}, scale, image);
  return image;
}

// Views of rectangles that meet `grid`, or lie beside it.
void check_random_views(Universe& universe, const Rect& grid, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  for (int i = 0; i < 2000; i++) {
    const Rect rect{grid.x + between(-60, grid.width + 20), grid.y + between(-60, grid.height + 20),
                    between(1, grid.width + 100), between(1, grid.height + 100)};
    const std::int64_t scale = between(1, i % 3 == 0 ? 300 : 12);
    CAPTURE(i);
    DensityImage image;
    universe.look({rect, scale}, image);
    REQUIRE(image == plain_view(universe, rect, scale));
  }
}

}  // namespace

TEST_CASE("any rectangle of a bounded universe is seen as its cells are") {
  Universe universe(parse_rule_spec("B3/S23:P90,50"), make_factory("cpu", "reference", {}));
  universe.fill(Soup::of(0.4, 3));
  check_random_views(universe, universe.extent(), 1);
}

TEST_CASE("any rectangle of the plane is seen as its cells are") {
  Universe universe(RuleSpec{}, make_factory("cpu", "word", {}));
  universe.load(make_soup(Soup::of(0.4, 4), 100, 80), {-1000, 77});
  check_random_views(universe, {-1100, 0, 300, 240}, 2);
}

TEST_CASE("empty views are refused") {
  Universe universe(RuleSpec{}, make_factory("cpu", "word", {}));
  DensityImage image;
  CHECK_THROWS_AS(universe.look({{0, 0, 0, 1}, 1}, image), InputError);
  CHECK_THROWS_AS(universe.look({{0, 0, 1, 1}, 0}, image), InputError);
}

TEST_CASE("beyond a torus's edges its cells come again") {
  std::mt19937 random(5);
  for (int trial = 0; trial < 300; trial++) {
    const RuleSpec spec{kLife, Topology::torus, 1 + static_cast<std::int64_t>(random() % 150),
                        1 + static_cast<std::int64_t>(random() % 90)};
    Universe universe(spec, make_factory("cpu", "word", {}));
    universe.fill({random(), 20000});
    const BitGrid cells = universe.window(universe.extent()).plane(0);
    const Rect rect{static_cast<std::int64_t>(random() % 600) - 300,
                    static_cast<std::int64_t>(random() % 600) - 300,
                    1 + static_cast<std::int64_t>(random() % 400),
                    1 + static_cast<std::int64_t>(random() % 300)};
    DensityImage image;
    universe.look({rect, 1, true}, image);
    REQUIRE(image.width == rect.width);
    REQUIRE(image.height == rect.height);
    std::int64_t wrong = 0;
    for (std::int64_t y = 0; y < rect.height; y++) {
      for (std::int64_t x = 0; x < rect.width; x++) {
        const bool alive = cells.get(floor_mod(rect.x + x - spec.origin().x, spec.width),
                                     floor_mod(rect.y + y - spec.origin().y, spec.height));
        wrong += image.pixels[static_cast<std::size_t>(y * rect.width + x)] != (alive ? 255 : 0);
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("the cells under pixels are those that the picture shows") {
  std::mt19937 random(6);
  for (int trial = 0; trial < 300; trial++) {
    const RuleSpec spec{kLife, trial % 2 ? Topology::torus : Topology::plane,
                        1 + static_cast<std::int64_t>(random() % 150),
                        1 + static_cast<std::int64_t>(random() % 90)};
    Universe universe(spec, make_factory("cpu", "word", {}));
    universe.fill({random(), 3000});
    const BitGrid cells = universe.window(universe.extent()).plane(0);
    const std::int64_t scale = 1 + static_cast<std::int64_t>(random() % 12);
    const Rect rect{static_cast<std::int64_t>(random() % 300) - 150,
                    static_cast<std::int64_t>(random() % 300) - 150,
                    1 + static_cast<std::int64_t>(random() % 300),
                    1 + static_cast<std::int64_t>(random() % 300)};
    DensityImage image;
    universe.look({rect, scale, true}, image);
    const PixelSpans spans = spans_of({universe.extent(), trial % 2 != 0}, {rect, scale, true});
    REQUIRE(static_cast<std::int64_t>(spans.columns.size()) == image.width);
    REQUIRE(static_cast<std::int64_t>(spans.rows.size()) == image.height);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < image.width * image.height; i++) {
      const PixelSpan x = spans.columns[static_cast<std::size_t>(i % image.width)];
      const PixelSpan y = spans.rows[static_cast<std::size_t>(i / image.width)];
      const std::int64_t live =
          x.count == 0 || y.count == 0
              ? 0
              : cells.window({x.first, y.first, x.count, y.count}).population();
      wrong += density_grey(live, std::int64_t{x.side} * y.side) !=
               image.pixels[static_cast<std::size_t>(i)];
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("densities of a torus are true in all copies when its sides are multiples of the scale") {
  const RuleSpec spec{kLife, Topology::torus, 96, 64};
  Universe universe(spec, make_factory("cpu", "word", {}));
  universe.fill({8, 9000});
  DensityImage own, wide;
  universe.look({{-48, -32, 96, 64}, 8, true}, own);
  universe.look({{-48 - 2 * 96, -32 - 64, 5 * 96, 3 * 64}, 8, true}, wide);
  for (std::int64_t y = 0; y < wide.height; y++) {
    for (std::int64_t x = 0; x < wide.width; x++) {
      REQUIRE(wide.pixels[static_cast<std::size_t>(y * wide.width + x)] ==
              own.pixels[static_cast<std::size_t>(y % own.height * own.width + x % own.width)]);
    }
  }
}
