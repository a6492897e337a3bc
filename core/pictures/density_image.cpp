#include "core/pictures/density_image.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace tessera {

namespace {

// Eight cells as eight pixels of one cell each.
constexpr std::array<std::array<std::uint8_t, 8>, 256> kEightPixels = [] {
  std::array<std::array<std::uint8_t, 8>, 256> table{};
  for (std::size_t cells = 0; cells < 256; cells++) {
    for (std::size_t x = 0; x < 8; x++) table[cells][x] = density_grey(cells >> x & 1, 1);
  }
  return table;
}();

// One pixel per cell, the usual scale of a window.
void show_cells(const BitGrid& grid, const Rect& rect, DensityImage& image) {
  for (std::int64_t y = 0; y < rect.height; y++) {
    const std::uint64_t* row = grid.row(rect.y + y);
    std::uint8_t* pixels = image.pixels.data() + y * image.width;
    for (std::int64_t x = 0; x < rect.width; x += 8) {
      const std::int64_t at = rect.x + x, take = std::min<std::int64_t>(8, rect.width - x);
      std::uint64_t cells = row[at / 64] >> at % 64;
      if (at % 64 + take > 64) cells |= row[at / 64 + 1] << (64 - at % 64);
      std::memcpy(pixels + x, kEightPixels[cells & 0xff].data(), static_cast<std::size_t>(take));
    }
  }
}

}  // namespace

void reduce_density(const BitGrid& grid, const Rect& rect, std::int64_t scale,
                    DensityImage& image) {
  image.resize(ceil_div(rect.width, scale), ceil_div(rect.height, scale));
  if (scale == 1) return show_cells(grid, rect, image);
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
