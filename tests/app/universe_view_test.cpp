#include "core/universe_view.h"

#include <doctest/doctest.h>

#include <random>

#include "backends/drivers.h"
#include "core/base/error.h"
#include "core/cells/soup.h"

using namespace tessera;

namespace {

// The view by its definition, from the cells of the rectangle.
DensityImage plain_view(Universe& universe, const Rect& rect, std::int64_t scale) {
  DensityImage image;
  reduce_density(universe.window(rect), {0, 0, rect.width, rect.height}, scale, image);
  return image;
}

void check_random_views(Universe& universe, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  const Cell origin = universe.grid_origin();
  const BackendSpec& grid = universe.backend().spec();
  for (int i = 0; i < 2000; i++) {
    const Rect rect{origin.x + between(-60, grid.width + 20),
                    origin.y + between(-60, grid.height + 20), between(1, grid.width + 100),
                    between(1, grid.height + 100)};
    const std::int64_t scale = between(1, i % 3 == 0 ? 300 : 12);
    CAPTURE(i);
    DensityImage image;
    view_universe(universe, rect, scale, image);
    REQUIRE(image == plain_view(universe, rect, scale));
  }
}

}  // namespace

TEST_CASE("any rectangle of a bounded universe is seen as its cells are") {
  Universe universe(parse_rule_spec("B3/S23:P90,50"), make_factory("cpu", "reference", {}));
  universe.fill(Soup::of(0.4, 3));
  check_random_views(universe, 1);
}

TEST_CASE("any rectangle of the plane is seen as its cells are") {
  Universe universe(RuleSpec{}, make_factory("cpu", "word", {}));
  universe.load(make_soup(Soup::of(0.4, 4), 100, 80), {-1000, 77});
  check_random_views(universe, 2);
}

TEST_CASE("empty views are refused") {
  Universe universe(RuleSpec{}, make_factory("cpu", "word", {}));
  DensityImage image;
  CHECK_THROWS_AS(view_universe(universe, {0, 0, 0, 1}, 1, image), InputError);
  CHECK_THROWS_AS(view_universe(universe, {0, 0, 1, 1}, 0, image), InputError);
}
