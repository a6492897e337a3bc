#include "core/tiles/tile_cut.h"

#include <algorithm>
#include <array>

namespace tessera {

TileCut::TileCut(const CellGrid& cells, std::int64_t x, std::int64_t tiles, int planes)
    : cells_(&cells),
      planes_(static_cast<std::size_t>(planes)),
      rows_(static_cast<std::size_t>(tiles) * planes_) {
  columns_.reserve(static_cast<std::size_t>(tiles));
  for (; std::ssize(columns_) < tiles; x += kTileSide) {
    const std::int64_t first = std::max<std::int64_t>(0, x);
    const std::int64_t end = std::min(cells.width(), x + kTileSide);
    Columns& each = columns_.emplace_back();
    each.word = first / 64;
    each.shift = static_cast<int>(first % 64);
    each.first = static_cast<int>(first - x);
    each.two = (end - 1) / 64 > each.word;
    each.inside = ((std::uint64_t{1} << (end - first)) - 1) << each.first;
  }
}

// Those of them that live in a row.
inline std::uint64_t TileCut::Columns::bits(const std::uint64_t* row) const {
  std::uint64_t found = row[word] >> shift;
  if (two) found |= row[word + 1] << (64 - shift);
  return found << first & inside;
}

void TileCut::cut(std::int64_t y) {
  from_ = static_cast<int>(std::max<std::int64_t>(0, -y));
  to_ = static_cast<int>(std::min<std::int64_t>(kTileSide, cells_->height() - y));
  std::ranges::fill(rows_, TileRows{});
  live_.assign(columns_.size(), 0);
  const int planes = std::min(static_cast<int>(planes_), cells_->planes());
  // A cache line of each tile after the other, not tile by tile: the rows of a wide grid are so far
  // apart that all those of a tile would drive each other out of the caches.
  constexpr int kTogether = 8;
  for (int p = 0; p < planes; p++) {
    for (int top = from_; top < to_;) {
      const int end = std::min(to_, (top / kTogether + 1) * kTogether);
      std::array<const std::uint64_t*, kTogether> rows{};
      for (int r = top; r < end; r++)
        rows[static_cast<std::size_t>(r - top)] = cells_->plane(p).row(y + r);
      TileRows* into = &rows_[static_cast<std::size_t>(p)];
      for (std::size_t i = 0; i < columns_.size(); i++, into += planes_) {
        const Columns columns = columns_[i];
        std::uint64_t* out = into->data() + top;
        std::uint64_t live = 0;
        for (int r = 0; r < end - top; r++)
          live |= out[r] = columns.bits(rows[static_cast<std::size_t>(r)]);
        live_[i] |= live;
      }
      top = end;
    }
  }
}

void TileCut::complete(std::size_t i, std::span<const TileRows> before, bool dead_too) {
  const std::span<TileRows> planes = tile(i);
  for (std::size_t r = 0; r < kTileSide; r++) {
    const bool has = static_cast<int>(r) >= from_ && static_cast<int>(r) < to_;
    std::uint64_t replaced = has ? columns_[i].inside : 0;
    if (dead_too) {
      std::uint64_t live = 0;
      for (const TileRows& plane : planes) live |= plane[r];
      replaced &= live;
    }
    for (std::size_t p = 0; p < planes_; p++) planes[p][r] |= before[p][r] & ~replaced;
  }
}

}  // namespace tessera
