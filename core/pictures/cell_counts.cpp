#include "core/pictures/cell_counts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace tessera {

namespace {

__extension__ using Wide = unsigned __int128;

// Areas up to this have their greys in a table: 64 x 64 cells.
constexpr std::int64_t kMostTable = 4096;
// Areas up to this divide by a multiplication: with r = ceil(2^64 / area), the high word of n * r
// is n / area for every n whose product with the area stays below 2^64. Here n < 256 * area.
constexpr std::int64_t kMostInverse = std::int64_t{1} << 28;

// Eight cells as eight counts of a cell each.
constexpr std::array<std::array<std::uint64_t, 8>, 256> kEightCounts = [] {
  std::array<std::array<std::uint64_t, 8>, 256> table{};
  for (std::size_t cells = 0; cells < 256; cells++) {
    for (std::size_t x = 0; x < 8; x++) table[cells][x] = cells >> x & 1;
  }
  return table;
}();

// The same as greys.
constexpr std::array<std::array<std::uint8_t, 8>, 256> kEightGreys = [] {
  std::array<std::array<std::uint8_t, 8>, 256> table{};
  for (std::size_t cells = 0; cells < 256; cells++) {
    for (std::size_t x = 0; x < 8; x++) table[cells][x] = cells >> x & 1 ? 255 : 0;
  }
  return table;
}();

// A pixel per cell, as an entry of a table of eight cells is one of eight pixels: what a window
// shows most of the time.
template <class Pixel>
void spread_cells(const BitGrid& grid, const Rect& rect,
                  const std::array<std::array<Pixel, 8>, 256>& table, Pixel* pixels) {
  for (std::int64_t x = 0; x < rect.width; x += 64) {
    std::uint64_t cells = grid.bits(rect.x + x, rect.y);
    const std::int64_t end = std::min(x + 64, rect.width);
    std::int64_t at = x;
    for (; at + 8 <= end; at += 8, cells >>= 8) {
      std::memcpy(pixels + at, table[cells & 0xff].data(), sizeof table[0]);
    }
    for (; at < end; at++, cells >>= 1) pixels[at] = table[cells & 1][0];
  }
}

// Live cells among eight.
constexpr std::array<std::uint8_t, 256> kLiveOfEight = [] {
  std::array<std::uint8_t, 256> table{};
  for (std::size_t cells = 0; cells < 256; cells++) {
    table[cells] = static_cast<std::uint8_t>(std::popcount(cells));
  }
  return table;
}();

// Adds a row's cells to pixels of at most eight of them. Most words of cells are empty.
void add_small_pixels(const BitGrid& grid, const Rect& row, std::int64_t scale,
                      std::uint64_t* live) {
  const std::int64_t per_word = 64 / scale, cells_per_word = per_word * scale;
  const std::uint64_t mask = (std::uint64_t{1} << scale) - 1;
  for (std::int64_t x = 0; x < row.width; x += cells_per_word, live += per_word) {
    const std::int64_t wide = std::min(cells_per_word, row.width - x);
    std::uint64_t cells = grid.bits(row.x + x, row.y) & (~std::uint64_t{0} >> (64 - wide));
    for (std::uint64_t* at = live; cells; cells >>= scale, at++) *at += kLiveOfEight[cells & mask];
  }
}

// Greys of pixels of the same area.
class Greys {
 public:
  // `pixels`: how many there will be; a table pays when it is not the larger part of the work.
  Greys(std::int64_t area, std::int64_t pixels) : area_(area) {
    if (area == 1 || area > kMostTable || area > pixels) return;
    table_.resize(static_cast<std::size_t>(area) + 1);
    for (std::int64_t live = 0; live <= area; live++) {
      table_[static_cast<std::size_t>(live)] = density_grey(live, area);
    }
  }

  void shade(const std::uint64_t* live, std::int64_t count, std::uint8_t* pixels) const {
    if (area_ == 1) {
      for (std::int64_t i = 0; i < count; i++) pixels[i] = static_cast<std::uint8_t>(-live[i]);
    } else if (!table_.empty()) {
      for (std::int64_t i = 0; i < count; i++) pixels[i] = table_[live[i]];
    } else if (area_ <= kMostInverse) {
      const auto area = static_cast<std::uint64_t>(area_);
      const std::uint64_t inverse = ~std::uint64_t{0} / area + 1;  // area > 1
      for (std::int64_t i = 0; i < count; i++) {
        const auto product = static_cast<Wide>(live[i] * 255 + area / 2) * inverse;
        const auto grey = static_cast<std::uint64_t>(product >> 64);
        pixels[i] = static_cast<std::uint8_t>(live[i] == 0 ? 0 : std::max<std::uint64_t>(1, grey));
      }
    } else {
      for (std::int64_t i = 0; i < count; i++) {
        pixels[i] = density_grey(static_cast<std::int64_t>(live[i]), area_);
      }
    }
  }

 private:
  std::int64_t area_;
  std::vector<std::uint8_t> table_;
};

}  // namespace

void CellCounts::add(const CellCounts& part, std::int64_t x, std::int64_t y) {
  for (std::int64_t row_of_part = 0; row_of_part < part.height; row_of_part++) {
    const std::uint64_t* from = part.row(row_of_part);
    std::uint64_t* to = row(y + row_of_part) + x;
    for (std::int64_t i = 0; i < part.width; i++) to[i] += from[i];
  }
}

void count_cells(const BitGrid& grid, const Rect& rect, std::int64_t scale, CellCounts& counts) {
  counts.reshape(ceil_div(rect.width, scale), ceil_div(rect.height, scale));
  for (std::int64_t py = 0; py < counts.height; py++) {
    const std::int64_t rows = std::min(scale, rect.height - py * scale);
    count_pixel_row(grid, {rect.x, rect.y + py * scale, rect.width, rows}, scale, counts.row(py));
  }
}

void count_pixel_row(const BitGrid& grid, const Rect& rect, std::int64_t scale,
                     std::uint64_t* live) {
  if (scale == 1) return spread_cells(grid, rect, kEightCounts, live);
  const std::int64_t pixels = ceil_div(rect.width, scale);
  std::fill_n(live, pixels, 0);
  for (std::int64_t y = rect.y; y < rect.y + rect.height; y++) {
    if (scale <= 8) {
      add_small_pixels(grid, {rect.x, y, rect.width, 1}, scale, live);
      continue;
    }
    const std::uint64_t* row = grid.row(y);
    for (std::int64_t px = 0; px < pixels; px++) {
      std::int64_t x = rect.x + px * scale;
      const std::int64_t end = x + std::min(scale, rect.width - px * scale);
      while (x < end) {
        const int bit = static_cast<int>(x % 64);
        const std::int64_t take = std::min<std::int64_t>(end - x, 64 - bit);
        const std::uint64_t cells = row[x / 64] >> bit & (~std::uint64_t{0} >> (64 - take));
        live[px] += static_cast<std::uint64_t>(std::popcount(cells));
        x += take;
      }
    }
  }
}

void reduce_density(const BitGrid& grid, const Rect& rect, std::int64_t scale,
                    DensityImage& image) {
  if (scale == 1) {
    image.reshape(rect.width, rect.height);
    for (std::int64_t y = 0; y < rect.height; y++) {
      spread_cells(grid, {rect.x, rect.y + y, rect.width, 1}, kEightGreys, image.row(y));
    }
    return;
  }
  CellCounts counts;
  count_cells(grid, rect, scale, counts);
  image.reshape(counts.width, counts.height);
  shade(counts, rect.width, rect.height, scale, image);
}

void shade(const CellCounts& counts, std::int64_t width, std::int64_t height, std::int64_t scale,
           DensityImage& image, std::int64_t row) {
  if (counts.width == 0 || counts.height == 0) return;
  // Only the last pixels of rows and columns may be narrower; no pixel is larger than the view.
  scale = std::min(scale, std::max(width, height));
  const auto columns_of = [&](std::int64_t px) { return std::min(scale, width - px * scale); };
  const auto rows_of = [&](std::int64_t py) { return std::min(scale, height - py * scale); };
  const std::int64_t last = counts.width - 1;
  const auto shade_rows = [&](std::int64_t begin, std::int64_t end) {
    if (begin >= end) return;
    const std::int64_t rows = rows_of(begin);
    const Greys inner(columns_of(0) * rows, last * (end - begin));
    const Greys edge(columns_of(last) * rows, end - begin);
    for (std::int64_t y = begin; y < end; y++) {
      const std::uint64_t* live = counts.row(y);
      std::uint8_t* pixels = image.row(row + y);
      inner.shade(live, last, pixels);
      edge.shade(live + last, 1, pixels + last);
    }
  };
  shade_rows(0, counts.height - 1);
  shade_rows(counts.height - 1, counts.height);
}

void shade_bytes(std::int64_t width, std::int64_t height, std::int64_t scale,
                 DensityImage& counts) {
  if (counts.width == 0 || counts.height == 0) return;
  using Table = std::array<std::uint8_t, 256>;
  const auto table_of = [](std::int64_t area) {
    Table table;
    for (std::int64_t live = 0; live < 256; live++) {
      table[static_cast<std::size_t>(live)] = density_grey(std::min(live, area), area);
    }
    return table;
  };
  // The last pixels of rows and columns may be narrower.
  const std::int64_t last = counts.width - 1, bottom = counts.height - 1;
  const std::int64_t columns[] = {scale, width - last * scale};
  const std::int64_t rows[] = {scale, height - bottom * scale};
  Table tables[2][2];
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) tables[i][j] = table_of(rows[i] * columns[j]);
  }
  for (std::int64_t y = 0; y <= bottom; y++) {
    const Table &inner = tables[y == bottom][0], &edge = tables[y == bottom][1];
    std::uint8_t* pixels = counts.row(y);
    std::int64_t x = 0;
    while (x < last) {
      std::uint64_t eight = 0;
      if (x + 8 <= last) std::memcpy(&eight, pixels + x, 8);
      const std::int64_t end = std::min(x + 8, last);
      if (x + 8 <= last && eight == 0) {
        x = end;
        continue;
      }
      for (; x < end; x++) pixels[x] = inner[pixels[x]];
    }
    pixels[last] = edge[pixels[last]];
  }
}

}  // namespace tessera
