#include "core/pictures/state_pixels.h"

#include <algorithm>
#include <bit>

namespace tessera {
namespace {

// The column of the first cell of row y from `begin` to `end` - 1 that is alive in `live`, or -1.
std::int64_t first_live(const BitGrid& live, std::int64_t y, std::int64_t begin, std::int64_t end) {
  for (std::int64_t x = begin; x < end; x += 64) {
    std::uint64_t word = live.bits(x, y);
    if (end - x < 64) word &= ~(~std::uint64_t{0} << (end - x));
    if (word != 0) return x + std::countr_zero(word);
  }
  return -1;
}

}  // namespace

void state_pixels(const CellGrid& cells, std::int64_t scale, DensityImage& image,
                  std::int64_t row) {
  const BitGrid live = cells.live();
  for (std::int64_t top = 0; top < cells.height(); top += scale, row++) {
    const std::int64_t bottom = std::min(cells.height(), top + scale);
    for (std::int64_t px = 0; px < image.width; px++) {
      const std::int64_t begin = px * scale, end = std::min(cells.width(), begin + scale);
      std::uint8_t state = 0;
      for (std::int64_t y = top; y < bottom && state == 0; y++) {
        const std::int64_t x = first_live(live, y, begin, end);
        if (x >= 0) state = static_cast<std::uint8_t>(cells.state(x, y));
      }
      image.row(row)[px] = state;
    }
  }
}

}  // namespace tessera
