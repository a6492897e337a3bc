#include "core/pictures/cell_counts.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "core/cells/soup.h"

using namespace tessera;

TEST_CASE("a grey is the rounded share and shows a single cell") {
  for (std::int64_t area = 1; area <= 600; area++) {
    for (std::int64_t live = 0; live <= area; live++) {
      const double share = 255.0 * static_cast<double>(live) / static_cast<double>(area);
      const int wanted = live == 0 ? 0 : std::max(1, static_cast<int>(std::floor(share + 0.5)));
      if (density_grey(live, area) != wanted) FAIL_CHECK(live << " of " << area);
    }
  }
  CHECK(density_grey(1, std::int64_t{1} << 50) == 1);
  CHECK(density_grey(std::int64_t{1} << 50, std::int64_t{1} << 50) == 255);
}

TEST_CASE("counts of any size become the greys that density_grey tells") {
  std::mt19937_64 random(17);
  for (const std::int64_t scale : {1, 2, 3, 7, 64, 65, 100, 1000, 4097, 16384, 16385, 1 << 20}) {
    CAPTURE(scale);
    const std::int64_t width = 40 * scale - scale / 2, height = 3 * scale - scale / 3;
    CellCounts counts;
    counts.resize(40, 3);
    DensityImage image;
    image.resize(40, 3);
    for (int round = 0; round < 100; round++) {
      const auto area = [&](std::int64_t px, std::int64_t py) {
        return std::min(scale, width - px * scale) * std::min(scale, height - py * scale);
      };
      for (std::int64_t i = 0; i < 120; i++) {
        const auto most = static_cast<std::uint64_t>(area(i % 40, i / 40));
        const std::uint64_t any = random();
        counts.pixels[static_cast<std::size_t>(i)] = any % 8 == 0   ? 0
                                                     : any % 8 == 1 ? most
                                                     : any % 8 == 2 ? 1
                                                                    : random() % (most + 1);
      }
      shade(counts, width, height, scale, image);
      for (std::int64_t i = 0; i < 120; i++) {
        const auto at = static_cast<std::size_t>(i);
        REQUIRE(image.pixels[at] ==
                density_grey(static_cast<std::int64_t>(counts.pixels[at]), area(i % 40, i / 40)));
      }
    }
  }
}

TEST_CASE("counts of parts add up") {
  CellCounts all, part;
  all.resize(4, 3);
  part.resize(2, 2);
  part.pixels = {1, 2, 3, 4};
  all.add(part, 2, 1);
  all.add(part, 1, 1);
  CHECK(all.pixels == std::vector<std::uint64_t>{0, 0, 0, 0, 0, 1, 3, 2, 0, 3, 7, 4});
}

TEST_CASE("a reduction counts every cell of a pixel once") {
  std::mt19937_64 random(5);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  for (int round = 0; round < 400; round++) {
    const std::int64_t width = 1 + below(300), height = 1 + below(40);
    const BitGrid grid =
        make_soup({random(), static_cast<std::uint32_t>(below(65537))}, width, height);
    const std::int64_t x = below(width), y = below(height);
    const Rect rect{x, y, 1 + below(width - x), 1 + below(height - y)};
    const std::int64_t scale = 1 + below(round % 2 ? 5 : 100);
    DensityImage image;
    reduce_density(grid, rect, scale, image);
    REQUIRE(image.width == (rect.width + scale - 1) / scale);
    REQUIRE(image.height == (rect.height + scale - 1) / scale);
    REQUIRE(static_cast<std::int64_t>(image.pixels.size()) == image.width * image.height);
    for (std::int64_t py = 0; py < image.height; py++) {
      for (std::int64_t px = 0; px < image.width; px++) {
        std::int64_t live = 0, area = 0;
        for (std::int64_t j = py * scale; j < std::min((py + 1) * scale, rect.height); j++) {
          for (std::int64_t i = px * scale; i < std::min((px + 1) * scale, rect.width); i++) {
            live += grid.get(rect.x + i, rect.y + j);
            area++;
          }
        }
        REQUIRE(image.pixels[static_cast<std::size_t>(py * image.width + px)] ==
                density_grey(live, area));
      }
    }
  }
}
