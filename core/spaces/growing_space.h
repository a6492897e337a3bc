#pragma once

#include <cstdint>
#include <optional>

#include "core/spaces/dense_space.h"

namespace tessera {

/// A universe without end as a bounded grid with dead surroundings that is replaced by a larger one
/// before anything can touch its edge: with m dead rows and columns all round, m / RuleSpec::reach
/// generations are exact. Where one side ends, the grid has all of that side and grows along the
/// other one; that a tube's grid is a torus both ways is never seen. The grid starts at a multiple
/// of 64 columns, so that hashes do not depend on how it grew.
class GrowingSpace final : public DenseSpace {
 public:
  /// An empty universe. Throws what the factory throws.
  GrowingSpace(const RuleSpec& spec, BackendFactory factory, std::int64_t max_memory);

  /// The grid that is made for the live cells of a rectangle where memory allows: with dead cells
  /// all round, up to 2.25 times as large.
  static Rect grid_for(const Rect& cells, const RuleSpec& spec);

 private:
  void do_step(std::int64_t generations) override;
  void do_edit(const Cell& at, const CellGrid& cells) override;
  void do_load(PieceSource& pieces) override;
  void do_reserve(const Rect& rect) override;

  struct Room {
    std::int64_t generations;  // that are exact
    bool small;                // along a side: less than half of what it should be
  };
  Room room(const Bounds& live) const;
  void hold(const std::optional<Bounds>& live, const Rect& cells, bool running);
  void move_to(const Rect& grid, const std::optional<Bounds>& live, const CellGrid& kept);
  [[noreturn]] void cannot_grow(const Rect& cells, const std::string& why) const;
};

}  // namespace tessera
