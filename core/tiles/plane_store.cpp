#include "core/tiles/plane_store.h"

#include <algorithm>
#include <array>

namespace tessera {

PlaneStore::PlaneStore(int planes) : planes_(planes), cells_(planes) {
  cells_.reserve(live_.end());
}

TileState PlaneStore::put(const TileRows& rows) {
  std::array<TileRows, kMostTilePlanes> planes{rows};
  return put_planes(std::span(planes).first(static_cast<std::size_t>(planes_)));
}

TileState PlaneStore::put_planes(std::span<const TileRows> planes) {
  live_.reserve(1, 1);
  cells_.reserve(live_.end());  // before anything is made, so that nothing is lost without memory
  const TileState state = live_.put(live_cells(planes));
  if (!state) return 0;
  std::uint64_t* const to = cells_.words(state);
  for (std::size_t p = 0; p < planes.size(); p++)
    std::ranges::copy(planes[p], to + p * StatePlanes::kWords);
  return state;
}

void PlaneStore::get_planes(TileState state, std::span<TileRows> planes) const {
  const std::uint64_t* from = cells_.words(state);
  for (TileRows& plane : planes) {
    std::copy_n(from, plane.size(), plane.begin());
    from += StatePlanes::kWords;
  }
}

}  // namespace tessera
