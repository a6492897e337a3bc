#include "core/cells/bit_grid.h"

#include <algorithm>
#include <bit>
#include <string>

#include "core/base/error.h"

namespace tessera {

namespace {

constexpr std::int64_t kMostGridBytes = std::int64_t{1} << 46;

std::size_t checked_words(std::int64_t width, std::int64_t height) {
  const std::optional<std::int64_t> bytes = BitGrid::bytes(width, height);
  if (!bytes) {
    throw InputError(
        "a grid of " + std::to_string(width) + "x" + std::to_string(height) +
        " cells cannot be held: sides must be at least 1, and one bit per cell must fit 64 TiB");
  }
  return static_cast<std::size_t>(*bytes / 8);
}

}  // namespace

BitGrid::BitGrid(std::int64_t width, std::int64_t height)
    : width_(width),
      height_(height),
      words_per_row_(width > 0 ? ceil_div(width, 64) : 0),
      words_(checked_words(width, height)) {}

std::optional<std::int64_t> BitGrid::bytes(std::int64_t width, std::int64_t height) {
  if (width < 1 || height < 1) return std::nullopt;
  const std::int64_t row_bytes = ceil_div(width, 64) * 8;
  if (row_bytes > kMostGridBytes || height > kMostGridBytes / row_bytes) return std::nullopt;
  return row_bytes * height;
}

std::uint64_t BitGrid::last_word_mask() const {
  const int used = static_cast<int>(width_ % 64);
  return used == 0 ? ~std::uint64_t{0} : (std::uint64_t{1} << used) - 1;
}

void BitGrid::clear_padding() {
  const std::uint64_t mask = last_word_mask();
  for (std::int64_t y = 0; y < height_; y++) row(y)[words_per_row_ - 1] &= mask;
}

bool BitGrid::padding_is_clear() const {
  const std::uint64_t mask = last_word_mask();
  std::uint64_t beyond = 0;
  for (std::int64_t y = 0; y < height_; y++) beyond |= row(y)[words_per_row_ - 1] & ~mask;
  return beyond == 0;
}

void BitGrid::fill_run(std::int64_t x, std::int64_t y, std::int64_t length) {
  if (length < 1) return;
  std::uint64_t* words = row(y);
  const std::int64_t end = x + length;
  const std::int64_t first = x / 64, last = (end - 1) / 64;
  const std::uint64_t from = ~std::uint64_t{0} << (x % 64);
  const std::uint64_t to = ~std::uint64_t{0} >> (63 - (end - 1) % 64);
  if (first == last) {
    words[first] |= from & to;
    return;
  }
  words[first] |= from;
  std::fill(words + first + 1, words + last, ~std::uint64_t{0});
  words[last] |= to;
}

std::int64_t BitGrid::population() const {
  std::int64_t count = 0;
  for (const std::uint64_t word : words_) count += std::popcount(word);
  return count;
}

std::optional<Bounds> BitGrid::bounds() const {
  std::optional<Bounds> box;
  for (std::int64_t y = 0; y < height_; y++) {
    const std::uint64_t* words = row(y);
    std::int64_t first = 0;
    while (first < words_per_row_ && words[first] == 0) first++;
    if (first == words_per_row_) continue;
    std::int64_t last = words_per_row_ - 1;
    while (words[last] == 0) last--;
    const std::int64_t xmin = first * 64 + std::countr_zero(words[first]);
    const std::int64_t xmax = last * 64 + 63 - std::countl_zero(words[last]);
    if (!box) {
      box = Bounds{xmin, y, xmax, y};
    } else {
      *box = {std::min(box->xmin, xmin), box->ymin, std::max(box->xmax, xmax), y};
    }
  }
  return box;
}

BitGrid BitGrid::window(const Rect& rect) const {
  BitGrid out(rect.width, rect.height);
  for (std::int64_t y = 0; y < rect.height; y++) {
    std::uint64_t* to = out.row(y);
    for (std::int64_t i = 0; i < out.words_per_row_; i++) {
      to[i] = bits(rect.x + i * 64, rect.y + y);
    }
    to[out.words_per_row_ - 1] &= out.last_word_mask();
  }
  return out;
}

void BitGrid::paste(std::int64_t x, std::int64_t y, const BitGrid& cells) {
  const int shift = static_cast<int>(x % 64);
  for (std::int64_t dy = 0; dy < cells.height_; dy++) {
    const std::uint64_t* from = cells.row(dy);
    std::uint64_t* to = row(y + dy) + x / 64;
    for (std::int64_t i = 0; i < cells.words_per_row_; i++) {
      const std::uint64_t mask =
          i + 1 == cells.words_per_row_ ? cells.last_word_mask() : ~std::uint64_t{0};
      to[i] = (to[i] & ~(mask << shift)) | from[i] << shift;
      if (shift == 0) continue;
      const std::uint64_t high = mask >> (64 - shift);
      if (high != 0) to[i + 1] = (to[i + 1] & ~high) | from[i] >> (64 - shift);
    }
  }
}

}  // namespace tessera
