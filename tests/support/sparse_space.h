#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/cells/state_hash.h"
#include "core/pictures/density_image.h"
#include "core/spaces/space.h"

namespace tessera::test {

/// A space that knows no grid and no backend: the set of live cells, stepped by the definition of
/// the rule. It stands for every space that is not dense.
class SparseSpace final : public Space {
 public:
  explicit SparseSpace(const RuleSpec& spec) : Space(spec) {}

  const char* kind() const override { return "sparse"; }
  const BackendInfo& info() const override { return info_; }
  double cells_per_generation() const override { return static_cast<double>(live_.size()); }
  std::int64_t memory() const override { return static_cast<std::int64_t>(live_.size()) * 16; }
  void use(BackendFactory) override {}

 private:
  using Position = std::pair<std::int64_t, std::int64_t>;  // row, column

  class HeldPieces : public PieceSource {
   public:
    HeldPieces(const Rect& extent, std::vector<Piece> pieces)
        : pieces_(std::move(pieces)), list_(extent, pieces_) {}
    Rect extent() const override { return list_.extent(); }
    std::optional<Piece> next() override { return list_.next(); }

   private:
    std::vector<Piece> pieces_;
    PieceList list_;
  };

  // Where a cell of the universe is, when `at` may lie beyond a torus's edge; false outside.
  bool home(Position& at) const {
    if (!spec().bounded()) return true;
    const Rect all = whole();
    if (spec().topology == Topology::torus) {
      at = {all.y + floor_mod(at.first - all.y, all.height),
            all.x + floor_mod(at.second - all.x, all.width)};
    }
    return all.contains({at.second, at.first, 1, 1});
  }

  void do_step(std::int64_t generations) override {
    for (std::int64_t i = 0; i < generations; i++) {
      std::map<Position, int> neighbours;
      for (const Position& cell : live_) {
        neighbours[cell];
        for (int dy = -1; dy <= 1; dy++) {
          for (int dx = -1; dx <= 1; dx++) {
            Position at{cell.first + dy, cell.second + dx};
            if ((dx != 0 || dy != 0) && home(at)) neighbours[at]++;
          }
        }
      }
      std::set<Position> next;
      for (const auto& [cell, count] : neighbours) {
        if (spec().rule.next(live_.contains(cell), count)) next.insert(cell);
      }
      passed(1, static_cast<double>(neighbours.size()));
      live_ = std::move(next);
    }
  }

  void do_synchronize() override {}

  Survey do_survey(const SurveyParts& parts) override {
    Survey found;
    if (parts.population) found.population = static_cast<std::int64_t>(live_.size());
    // Words of a bounded universe count from its own corner.
    const Cell zero = spec().bounded() ? spec().origin() : Cell{0, 0};
    std::map<Position, std::uint64_t> words;
    for (const auto& [y, x] : live_) {
      if (parts.bounds) {
        Survey cell;
        cell.bounds = Bounds{x, y, x, y};
        found += cell;
      }
      words[{y - zero.y, floor_div(x - zero.x, 64)}] |= std::uint64_t{1}
                                                        << floor_mod(x - zero.x, 64);
    }
    if (parts.hash) {
      for (const auto& [at, word] : words) found.hash += hash_word(word, at.second, at.first);
    }
    return found;
  }

  CellGrid do_read(const Rect& rect) override {
    CellGrid out(rect.width, rect.height);
    for (const auto& [y, x] : live_) {
      if (rect.contains({x, y, 1, 1})) out.set_state(x - rect.x, y - rect.y, 1);
    }
    return out;
  }

  // Tiles of 48x48 cells where something lives, cut to the rectangle, in no reading order.
  std::unique_ptr<PieceSource> do_pieces(const Rect& rect) override {
    std::set<Position> tiles;  // column, row
    for (const auto& [y, x] : live_) {
      if (rect.contains({x, y, 1, 1})) tiles.insert({floor_div(x, 48), floor_div(y, 48)});
    }
    std::vector<Piece> pieces;
    for (const auto& [column, row] : tiles) {
      const Rect part = rect.common({48 * column, 48 * row, 48, 48});
      pieces.push_back({{part.x, part.y}, do_read(part)});
    }
    return std::make_unique<HeldPieces>(rect, std::move(pieces));
  }

  void do_edit(const Cell& at, const CellGrid& cells) override {
    for (std::int64_t y = 0; y < cells.height(); y++) {
      for (std::int64_t x = 0; x < cells.width(); x++) {
        const Position cell{at.y + y, at.x + x};
        if (cells.state(x, y) != 0) {
          live_.insert(cell);
        } else {
          live_.erase(cell);
        }
      }
    }
  }

  void do_clear() override { live_.clear(); }

  void do_look(const View& view, DensityImage& image) override {
    CellGrid cells(view.cells.width, view.cells.height);
    for (std::int64_t y = 0; y < cells.height(); y++) {
      for (std::int64_t x = 0; x < cells.width(); x++) {
        Position at{view.cells.y + y, view.cells.x + x};
        if (!view.wrapped && spec().bounded() && !whole().contains({at.second, at.first, 1, 1}))
          continue;
        if (home(at) && live_.contains(at)) cells.set_state(x, y, 1);
      }
    }
    reduce_density(cells.plane(0), {0, 0, cells.width(), cells.height()}, view.scale, image);
  }

  std::set<Position> live_;
  BackendInfo info_{"sparse", "none", "set", {}};
};

}  // namespace tessera::test
