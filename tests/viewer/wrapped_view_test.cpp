#include "apps/viewer/simulation/wrapped_view.h"

#include <doctest/doctest.h>

#include <random>

#include "backends/drivers.h"

using namespace tessera;

TEST_CASE("beyond a torus's edges its cells come again") {
  std::mt19937 random(5);
  for (int trial = 0; trial < 300; trial++) {
    const RuleSpec spec{kLife, Topology::torus, 1 + static_cast<std::int64_t>(random() % 150),
                        1 + static_cast<std::int64_t>(random() % 90)};
    Universe universe(spec, make_factory("cpu", "word", {}));
    universe.fill({random(), 20000});
    const BitGrid cells = universe.snapshot(std::make_unique<Cell>().get());
    const Rect rect{static_cast<std::int64_t>(random() % 600) - 300,
                    static_cast<std::int64_t>(random() % 600) - 300,
                    1 + static_cast<std::int64_t>(random() % 400),
                    1 + static_cast<std::int64_t>(random() % 300)};
    DensityImage image;
    view_wrapped(universe, rect, 1, image);
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
    const BitGrid cells = universe.snapshot(std::make_unique<Cell>().get());
    const std::int64_t scale = 1 + static_cast<std::int64_t>(random() % 12);
    const Rect rect{static_cast<std::int64_t>(random() % 300) - 150,
                    static_cast<std::int64_t>(random() % 300) - 150,
                    1 + static_cast<std::int64_t>(random() % 300),
                    1 + static_cast<std::int64_t>(random() % 300)};
    DensityImage image;
    view_wrapped(universe, rect, scale, image);
    const PixelSpans spans = spans_of(universe, rect, scale);
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
  view_wrapped(universe, {-48, -32, 96, 64}, 8, own);
  view_wrapped(universe, {-48 - 2 * 96, -32 - 64, 5 * 96, 3 * 64}, 8, wide);
  for (std::int64_t y = 0; y < wide.height; y++) {
    for (std::int64_t x = 0; x < wide.width; x++) {
      REQUIRE(wide.pixels[static_cast<std::size_t>(y * wide.width + x)] ==
              own.pixels[static_cast<std::size_t>(y % own.height * own.width + x % own.width)]);
    }
  }
}
