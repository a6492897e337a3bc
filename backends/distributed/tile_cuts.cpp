#include "backends/distributed/tile_cuts.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tessera {

bool TileCuts::before(const Cell& a, const Cell& b) const {
  if (by_rows) return a.y != b.y ? a.y < b.y : a.x < b.x;
  return a.x != b.x ? a.x < b.x : a.y < b.y;
}

std::size_t TileCuts::part_of(const Cell& at) const {
  const auto after = std::upper_bound(
      cuts.begin(), cuts.end(), at, [this](const Cell& a, const Cell& b) { return before(a, b); });
  return static_cast<std::size_t>(after - cuts.begin());
}

namespace {

// Seams are as long as the plane is wide across them: rows are cut where it is higher.
bool better_by_rows(const std::vector<TileLoad>& tiles, bool by_rows) {
  constexpr double kMuch = 2;
  if (tiles.empty()) return by_rows;
  const auto side = [&](auto coordinate) {
    const auto [least, most] = std::ranges::minmax(tiles, {}, coordinate);
    return static_cast<double>(coordinate(most)) - static_cast<double>(coordinate(least)) + 1;
  };
  const double across = side([](const TileLoad& tile) { return tile.at.x; });
  const double down = side([](const TileLoad& tile) { return tile.at.y; });
  return by_rows ? across <= kMuch * down : down > kMuch * across;
}

}  // namespace

TileCuts cut_tiles(std::vector<TileLoad>& tiles, std::span<const double> speeds,
                   std::span<const std::int64_t> most, bool by_rows) {
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  TileCuts out;
  out.by_rows = better_by_rows(tiles, by_rows);
  std::ranges::sort(tiles,
                    [&](const TileLoad& a, const TileLoad& b) { return out.before(a.at, b.at); });
  const double all = std::accumulate(tiles.begin(), tiles.end(), 0.0,
                                     [](double sum, const TileLoad& t) { return sum + t.load; });
  const double speed = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  auto room = std::accumulate(most.begin(), most.end(), 0.0, [](double sum, std::int64_t n) {
    return sum + static_cast<double>(n);
  });
  std::size_t next = 0;
  double due = 0, taken = 0;
  for (std::size_t part = 0; part + 1 < speeds.size(); part++) {
    due += all * speeds[part] / speed;
    room -= static_cast<double>(most[part]);
    const std::size_t first = next;
    while (next < tiles.size()) {
      const double load = tiles[next].load;
      const bool full = next - first >= static_cast<std::size_t>(most[part]);
      // Those behind must hold what is left.
      const bool needed = static_cast<double>(tiles.size() - next) > room;
      if (full || (!needed && taken + load / 2 > due)) break;
      taken += load;
      next++;
    }
    out.cuts.push_back(next < tiles.size() ? tiles[next].at : Cell{kLast, kLast});
  }
  return out;
}

}  // namespace tessera
