#include "apps/viewer/simulation/grid_state.h"

#include <utility>
#include <vector>

#include "apps/viewer/simulation/blocks.h"

namespace tessera {

std::int64_t GridState::bytes() const {
  std::int64_t sum = 0;
  if (cells) {
    for (const Piece& piece : *cells) sum += piece.cells.bytes();
  }
  return sum;
}

GridState capture(Universe& universe) {
  GridState state{universe.spec(), universe.generation(), {}, nullptr};
  if (const std::optional<Bounds> box = universe.bounds()) {
    state.extent = box->rect();
    auto cells = std::make_shared<std::vector<Piece>>();
    const std::unique_ptr<PieceSource> pieces = universe.pieces(state.extent);
    while (std::optional<Piece> piece = pieces->next()) cells->push_back(*std::move(piece));
    state.cells = std::move(cells);
  }
  return state;
}

void restore(const GridState& state, Universe& universe) {
  if (state.cells) {
    PieceList pieces(state.extent, *state.cells);
    universe.load(pieces);
  } else {
    universe.clear();
  }
  universe.set_generation(state.generation);
}

std::int64_t transfer(const GridState& state, Universe& universe) {
  universe.set_generation(state.generation);
  if (!state.cells) return 0;
  const Rule& rule = universe.spec().rule;
  if (!universe.spec().has_edges()) {
    std::vector<Piece> cells;
    for (const Piece& piece : *state.cells) cells.push_back({piece.at, fitted(piece.cells, rule)});
    PieceList pieces(state.extent, cells);
    universe.load(pieces);
    return 0;
  }
  const Rect all = universe.spec().cells();
  std::int64_t lost = 0;
  for (const Piece& piece : *state.cells) {
    const Rect rect = piece.rect();
    const Rect part = rect.common(all);
    lost += piece.cells.population();
    if (part.empty()) continue;
    const CellGrid kept =
        piece.cells.window({part.x - rect.x, part.y - rect.y, part.width, part.height});
    universe.edit({part.x, part.y}, fitted(kept, rule));
    lost -= kept.population();
  }
  return lost;
}

}  // namespace tessera
