#include "apps/viewer/simulation/grid_state.h"

#include <algorithm>

namespace tessera {

GridState capture(Universe& universe) {
  GridState state{universe.spec(), universe.generation(), {}, nullptr};
  if (const std::optional<Bounds> box = universe.bounds()) {
    state.at = {box->xmin, box->ymin};
    state.cells = std::make_shared<const BitGrid>(universe.window(box->rect()));
  }
  return state;
}

std::int64_t capture_bytes(Universe& universe) {
  const BackendSpec& grid = universe.backend().spec();
  return BitGrid::bytes(grid.width, grid.height).value_or(kMaxSide);
}

void restore(const GridState& state, Universe& universe) {
  universe.clear();
  if (state.cells) universe.edit(state.at, *state.cells);
  universe.set_generation(state.generation);
}

std::int64_t transfer(const GridState& state, Universe& universe) {
  universe.set_generation(state.generation);
  if (!state.cells) return 0;
  const BitGrid& cells = *state.cells;
  const RuleSpec& spec = universe.spec();
  if (!spec.bounded()) {
    universe.edit(state.at, cells);
    return 0;
  }
  const Cell low = spec.origin();
  const std::int64_t left = std::max(state.at.x, low.x), top = std::max(state.at.y, low.y);
  const std::int64_t right = std::min(state.at.x + cells.width(), low.x + spec.width);
  const std::int64_t bottom = std::min(state.at.y + cells.height(), low.y + spec.height);
  if (left >= right || top >= bottom) return cells.population();
  const BitGrid kept =
      cells.window({left - state.at.x, top - state.at.y, right - left, bottom - top});
  universe.edit({left, top}, kept);
  return cells.population() - kept.population();
}

}  // namespace tessera
