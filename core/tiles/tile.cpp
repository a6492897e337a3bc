#include "core/tiles/tile.h"

namespace tessera {

std::uint32_t ways_that_see(const TileRows& rows) {
  constexpr std::uint64_t kLeft = (std::uint64_t{1} << kTileMargin) - 1;
  constexpr std::uint64_t kRight = kLeft << (kTileSide - kTileMargin);
  std::uint64_t top = 0, bottom = 0, all = 0;
  for (int r = 0; r < kTileSide; r++) {
    all |= rows[r];
    if (r < kTileMargin) top |= rows[r];
    if (r >= kTileSide - kTileMargin) bottom |= rows[r];
  }
  const std::uint64_t seen[kTileWays] = {
      top & kLeft,    top,    top & kRight,   all & kLeft, all & kRight,
      bottom & kLeft, bottom, bottom & kRight};
  std::uint32_t ways = 0;
  for (int d = 0; d < kTileWays; d++) ways |= seen[d] ? 1u << d : 0u;
  return ways;
}

TileRows difference(std::span<const TileRows> planes, std::span<const TileRows> others) {
  TileRows out{};
  for (std::size_t p = 0; p < planes.size(); p++) {
    for (std::size_t r = 0; r < out.size(); r++) out[r] |= planes[p][r] ^ others[p][r];
  }
  return out;
}

TileRows live_cells(std::span<const TileRows> planes) {
  TileRows out = planes.front();
  for (const TileRows& plane : planes.subspan(1)) {
    for (std::size_t r = 0; r < out.size(); r++) out[r] |= plane[r];
  }
  return out;
}

void add_to_window(const TileRows& rows, int right, int below, TileWindow& window) {
  const int shift = right * kTileSide + kTileMargin;
  for (int r = 0; r < kTileSide; r++) {
    const int y = r + below * kTileSide + kTileMargin;
    if (y < 0 || y >= static_cast<int>(window.size())) continue;
    window[static_cast<std::size_t>(y)] |= shift >= 0 ? rows[r] << shift : rows[r] >> -shift;
  }
}

}  // namespace tessera
