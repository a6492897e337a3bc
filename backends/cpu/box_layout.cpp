#include "backends/cpu/box_layout.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "backends/cpu/bit_transpose.h"

namespace tessera {
namespace {

constexpr std::int64_t kStrips = 64;

std::int64_t whole_mask(std::int64_t bits) {
  return bits >= 64 ? -1 : static_cast<std::int64_t>((std::uint64_t{1} << bits) - 1);
}

}  // namespace

BoxLayout::BoxLayout(const BackendSpec& spec, int reach)
    : width_(spec.width),
      height_(spec.height),
      reach_(reach),
      columns_(ceil_div(spec.width, kStrips)),
      rows_(ceil_div(spec.height, kBoxLanes)),
      torus_(spec.boundary == Boundary::torus) {
  for (std::int64_t column = -reach_; column < columns_ + reach_; column++) {
    const std::vector<BoxMove> moves = moves_of(column);
    moves_.insert(moves_.end(), moves.begin(), moves.end());
  }
}

std::int64_t BoxLayout::row_words_of(const BackendSpec& spec, int reach) {
  return (ceil_div(spec.width, kStrips) + 2 * reach) * kBoxLanes;
}

std::optional<std::int64_t> BoxLayout::words_of(const BackendSpec& spec, int reach) {
  constexpr std::int64_t kMost = std::int64_t{1} << 43;
  const std::int64_t rows = ceil_div(spec.height, kBoxLanes) + 2 * reach;
  const std::int64_t row_words = row_words_of(spec, reach);
  if (row_words > kMost / rows) return std::nullopt;
  return row_words * rows;
}

// Where each bit of a column that is not the grid's own comes from, as few moves. A column of dead
// cells is a move of nothing.
std::vector<BoxMove> BoxLayout::moves_of(std::int64_t column) const {
  std::vector<BoxMove> moves;
  std::uint64_t own = 0;
  for (std::int64_t bit = 0; bit < kStrips; bit++) {
    const std::int64_t x = bit * columns_ + column;
    const std::uint64_t here = std::uint64_t{1} << bit;
    if (column >= 0 && column < columns_ && x < width_) {
      own |= here;
      continue;
    }
    if (!torus_ && (x < 0 || x >= width_)) continue;
    const std::int64_t from = floor_mod(x, width_);
    const auto rotation = static_cast<int>(floor_mod(bit - from / columns_, kStrips));
    const auto same = std::ranges::find_if(moves, [&](const BoxMove& move) {
      return move.from == from % columns_ && move.rotation == rotation;
    });
    if (same != moves.end()) {
      same->mask |= here;
    } else {
      moves.push_back({column, from % columns_, rotation, here, ~std::uint64_t{0}});
    }
  }
  if (own == ~std::uint64_t{0}) return {};
  if (moves.empty()) moves.push_back({column, 0, 0, 0, 0});
  moves.front().keep = own;
  return moves;
}

void BoxLayout::fill_columns(std::uint64_t* words, std::int64_t first, std::int64_t last) const {
  move_cells(words + at(first, 0), last - first, row_words(), moves_);
}

void BoxLayout::fill_rows(std::uint64_t* words) const {
  static constexpr std::uint64_t kDead = 0;
  // Rows of the band that the grid has.
  const auto own = [&](std::int64_t band) {
    return std::clamp<std::int64_t>(height_ - band * rows_, 0, rows_);
  };
  const auto fill = [&](std::int64_t row) {
    std::array<const std::uint64_t*, kBoxLanes> from{};
    std::array<std::int64_t, kBoxLanes> step{};
    for (std::int64_t band = 0; band < kBoxLanes; band++) {
      const auto b = static_cast<std::size_t>(band);
      const std::int64_t y = band * rows_ + row;
      if (!torus_ && (y < 0 || y >= height_)) {
        from[b] = &kDead;
        continue;
      }
      const bool is_own = row >= 0 && row < own(band);
      const std::int64_t from_y = is_own ? y : floor_mod(y, height_);
      from[b] = words + at(from_y % rows_, -reach_) + from_y / rows_;
      step[b] = kBoxLanes;
    }
    std::uint64_t* to = words + at(row, -reach_);
    for (std::int64_t i = 0; i < columns_ + 2 * reach_; i++) {
      for (std::size_t b = 0; b < kBoxLanes; b++) {
        *to++ = *from[b];
        from[b] += step[b];
      }
    }
  };
  for (std::int64_t row = -reach_; row < 0; row++) fill(row);
  // The last band has fewest rows of its own.
  for (std::int64_t row = own(kBoxLanes - 1); row < rows_ + reach_; row++) fill(row);
}

void BoxLayout::put(std::uint64_t* words, std::int64_t x, std::int64_t y,
                    const BitGrid& cells) const {
  for (std::int64_t row = 0; row < cells.height(); row++) {
    const std::int64_t band = (y + row) / rows_, own = (y + row) % rows_;
    for (std::int64_t column = 0; column < columns_; column += kStrips) {
      const std::int64_t count = std::min(kStrips, columns_ - column);
      BitBlock block{}, inside{};
      for (std::int64_t strip = 0; strip < kStrips; strip++) {
        // Columns `begin` to `end` - 1 of the grid are bits of this word, where the cells have
        // them.
        const std::int64_t left = strip * columns_ + column;
        const std::int64_t begin = std::max(left, x);
        const std::int64_t end = std::min({left + count, x + cells.width(), width_});
        if (begin >= end) continue;
        const auto mask = static_cast<std::uint64_t>(whole_mask(end - begin));
        const auto bit = static_cast<std::size_t>(strip);
        block[bit] = (cells.bits(begin - x, row) & mask) << (begin - left);
        inside[bit] = mask << (begin - left);
      }
      transpose(block);
      transpose(inside);
      for (std::int64_t i = 0; i < count; i++) {
        std::uint64_t& word = words[at(own, column + i) + band];
        const auto k = static_cast<std::size_t>(i);
        word = (word & ~inside[k]) | block[k];
      }
    }
  }
}

BitGrid BoxLayout::take(const std::uint64_t* words, const Rect& rect) const {
  BitGrid out(rect.width, rect.height);
  for (std::int64_t row = 0; row < rect.height; row++) {
    const std::int64_t band = (rect.y + row) / rows_, own = (rect.y + row) % rows_;
    std::uint64_t* const to = out.row(row);
    for (std::int64_t column = 0; column < columns_; column += kStrips) {
      const std::int64_t count = std::min(kStrips, columns_ - column);
      BitBlock block{};
      for (std::int64_t i = 0; i < count; i++)
        block[static_cast<std::size_t>(i)] = words[at(own, column + i) + band];
      transpose(block);
      for (std::int64_t strip = 0; strip < kStrips; strip++) {
        const std::int64_t left = strip * columns_ + column;
        const std::int64_t begin = std::max(left, rect.x);
        const std::int64_t end = std::min(left + count, rect.x + rect.width);
        if (begin >= end) continue;
        const std::uint64_t bits = block[static_cast<std::size_t>(strip)] >> (begin - left) &
                                   static_cast<std::uint64_t>(whole_mask(end - begin));
        const std::int64_t x = begin - rect.x, shift = x % 64;
        to[x / 64] |= bits << shift;
        if (shift != 0 && shift + (end - begin) > 64) to[x / 64 + 1] |= bits >> (64 - shift);
      }
    }
  }
  return out;
}

}  // namespace tessera
