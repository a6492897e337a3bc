#include "core/density_image.h"

#include <algorithm>
#include <bit>

namespace tessera {

void reduce_density(const BitGrid& grid, const Rect& rect, std::int64_t scale, DensityImage& image) {
  image.resize(ceil_div(rect.width, scale), ceil_div(rect.height, scale));
  std::vector<std::int64_t> live(static_cast<std::size_t>(image.width));
  for (std::int64_t py = 0; py < image.height; py++) {
    std::fill(live.begin(), live.end(), 0);
    const std::int64_t top = rect.y + py * scale;
    const std::int64_t bottom = top + std::min(scale, rect.height - py * scale);
    for (std::int64_t y = top; y < bottom; y++) {
      const std::uint64_t* row = grid.row(y);
      for (std::int64_t px = 0; px < image.width; px++) {
        std::int64_t x = rect.x + px * scale;
        const std::int64_t end = x + std::min(scale, rect.width - px * scale);
        while (x < end) {
          const int bit = static_cast<int>(x % 64);
          const std::int64_t take = std::min<std::int64_t>(end - x, 64 - bit);
          const std::uint64_t cells = row[x / 64] >> bit & (~std::uint64_t{0} >> (64 - take));
          live[px] += std::popcount(cells);
          x += take;
        }
      }
    }
    for (std::int64_t px = 0; px < image.width; px++) {
      const std::int64_t columns = std::min(scale, rect.width - px * scale);
      image.pixels[py * image.width + px] = density_grey(live[px], columns * (bottom - top));
    }
  }
}

}  // namespace tessera
