#include "backends/distributed/halo_piece.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "core/stepping/surroundings.h"

namespace tessera {

namespace {

// A rectangle around the grid whose cells are those of a rectangle inside, turned as a whole.
struct Block {
  Rect to;
  Cell first;  // what its top-left cell is
  Turn turn;

  Rect cells() const {
    const auto reach = [&](std::int64_t right, std::int64_t down) {
      return right * (to.width - 1) + down * (to.height - 1);
    };
    const std::int64_t x = reach(turn.right.x, turn.down.x), y = reach(turn.right.y, turn.down.y);
    return {std::min(first.x, first.x + x), std::min(first.y, first.y + y), std::abs(x) + 1,
            std::abs(y) + 1};
  }
};

// Cuts what lies around a grid into blocks.
class Around {
 public:
  explicit Around(const BackendSpec& spec)
      : width_(spec.width), height_(spec.height), surroundings_(spec) {}

  // Calls take(block) for blocks that cover `rect` once.
  template <class Take>
  void cut(Rect rect, Take&& take) const {
    while (!rect.empty()) {
      Rect row = rect;
      // As high as the block that begins it; the others of the row may be cut further.
      row.height = block_at(rect).to.height;
      rect.y += row.height;
      rect.height -= row.height;
      while (!row.empty()) {
        const Block block = block_at(row);
        take(block);
        const Rect& done = block.to;
        cut({done.x, done.y + done.height, done.width, row.height - done.height}, take);
        row.x += done.width;
        row.width -= done.width;
      }
    }
  }

 private:
  // The block of the top-left cell of `rect`, as large as it may be.
  Block block_at(const Rect& rect) const {
    // Within one copy of the grid, steps lead to neighbours, until they go round.
    Block block{{rect.x, rect.y, std::min(rect.width, width_ - floor_mod(rect.x, width_)),
                 std::min(rect.height, height_ - floor_mod(rect.y, height_))},
                *surroundings_.cell({rect.x, rect.y}),
                {}};
    Rect& to = block.to;
    const std::optional<Cell> right =
        to.width > 1 ? step(block.first, {rect.x + 1, rect.y}) : std::nullopt;
    const std::optional<Cell> down =
        to.height > 1 ? step(block.first, {rect.x, rect.y + 1}) : std::nullopt;
    to.width = right ? std::min(to.width, room(block.first, *right)) : 1;
    to.height = down ? std::min(to.height, room(block.first, *down)) : 1;
    // A direction in which there is but one cell is any that is across the other one.
    if (right) block.turn = {*right, {std::abs(right->y), std::abs(right->x)}};
    if (down) block.turn = {right.value_or(Cell{std::abs(down->y), std::abs(down->x)}), *down};
    return block;
  }

  // Where the cell that is seen at `to` lies from `first`, where they are neighbours.
  std::optional<Cell> step(const Cell& first, const Cell& to) const {
    const Cell next = *surroundings_.cell(to);
    const Cell way{next.x - first.x, next.y - first.y};
    if (std::abs(way.x) + std::abs(way.y) != 1) return std::nullopt;
    return way;
  }

  // Cells from `first` on to the grid's edge.
  std::int64_t room(const Cell& first, const Cell& way) const {
    if (way.x != 0) return way.x > 0 ? width_ - first.x : first.x + 1;
    return way.y > 0 ? height_ - first.y : first.y + 1;
  }

  std::int64_t width_, height_;
  Surroundings surroundings_;
};

// The part of a block whose cells are those of a band.
HaloPiece piece_of(const Block& block, const BandRows& band) {
  const Rect all = block.cells();
  HaloPiece piece;
  piece.cells = all.common({all.x, band.first, all.width, band.rows});
  piece.turn = block.turn;
  piece.at = {block.to.x, block.to.y};
  const std::int64_t first = block.first.y, end = piece.cells.y + piece.cells.height - 1;
  if (piece.turn.right.y != 0) {
    piece.at.x += piece.turn.right.y > 0 ? piece.cells.y - first : first - end;
  } else {
    piece.at.y += piece.turn.down.y > 0 ? piece.cells.y - first : first - end;
  }
  return piece;
}

// Calls take(band) for all bands that have rows of `rect`.
template <class Take>
void for_owners(const std::vector<BandRows>& owners, const Rect& rect, Take&& take) {
  const auto first = std::ranges::partition_point(
      owners, [&](const BandRows& each) { return each.end() <= rect.y; });
  for (auto each = first; each != owners.end() && each->first < rect.y + rect.height; ++each)
    take(static_cast<std::size_t>(each - owners.begin()));
}

// What fills the halos of band `i`.
void add_halos(const BackendSpec& spec, const DistributedPlan& plan,
               const std::vector<BandRows>& owners, std::size_t i, std::vector<HaloPiece>& pieces) {
  const Around around(spec);
  const std::int64_t beside = plan.beside(spec), width = spec.width;
  const BandRows& own = plan.bands[i];
  const std::int64_t above = plan.above(i, spec), below = plan.below(i, spec);
  const Rect halos[] = {{-beside, own.first - above, width + 2 * beside, above},
                        {-beside, own.end(), width + 2 * beside, below},
                        {-beside, own.first, beside, own.rows},
                        {width, own.first, beside, own.rows}};
  for (const Rect& halo : halos) {
    around.cut(halo, [&](const Block& block) {
      for_owners(owners, block.cells(), [&](std::size_t from) {
        HaloPiece& piece = pieces.emplace_back(piece_of(block, owners[from]));
        piece.from = static_cast<int>(from);
        piece.to = static_cast<int>(i);
        piece.side = &halo == &halos[1] ? RowSide::above : RowSide::below;
      });
    });
  }
}

}  // namespace

std::vector<HaloPiece> halo_pieces(const BackendSpec& spec, const DistributedPlan& plan) {
  std::vector<HaloPiece> pieces;
  for (std::size_t i = 0; i < plan.bands.size(); i++) add_halos(spec, plan, plan.bands, i, pieces);
  return pieces;
}

std::vector<HaloPiece> moved_pieces(const BackendSpec& spec, const DistributedPlan& plan,
                                    const std::vector<BandRows>& owners) {
  std::vector<HaloPiece> pieces;
  for (std::size_t i = 0; i < plan.bands.size(); i++) {
    const Rect own{0, plan.bands[i].first, spec.width, plan.bands[i].rows};
    for_owners(owners, own, [&](std::size_t from) {
      if (from == i) return;
      const Rect rows = own.common({0, owners[from].first, spec.width, owners[from].rows});
      pieces.push_back({static_cast<int>(from),
                        static_cast<int>(i),
                        RowSide::below,
                        rows,
                        {rows.x, rows.y},
                        {}});
    });
    add_halos(spec, plan, owners, i, pieces);
  }
  return pieces;
}

}  // namespace tessera
