#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/cells/bit_grid.h"
#include "core/cells/cell_runs.h"
#include "core/cells/soup.h"
#include "core/patterns/pattern.h"
#include "core/rules/rule_spec.h"
#include "core/stepping/driver.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// Cells under a rule in a universe, at a generation, in absolute coordinates, stepped by any
/// backend.
///
/// A bounded universe is one backend grid. The infinite plane is a bounded grid with dead
/// surroundings that is replaced by a larger one before anything can touch its edge: with m dead
/// rows and columns all round, m generations are exact, since nothing moves faster than one cell a
/// generation. Its grid starts at a multiple of 64 columns, so that hashes do not depend on how it
/// grew.
class Universe {
 public:
  /// An empty universe. `factory` makes the backends; `max_memory` in bytes (0: no limit) bounds
  /// the two grids that live while growing. Throws what the factory throws, and InputError when a
  /// bounded grid exceeds the limit.
  Universe(const RuleSpec& spec, BackendFactory factory, std::int64_t max_memory = 0);

  const RuleSpec& spec() const { return spec_; }
  std::int64_t generation() const { return generation_; }
  void set_generation(std::int64_t generation) { generation_ = generation; }

  /// Adds a pattern's live cells at its position. Throws InputError, naming the first cell outside,
  /// when a bounded universe cannot hold them, and MemoryLimitError or InputError when the plane
  /// would need too much.
  void place(const Pattern& pattern);
  /// Fills a bounded universe; throws InputError on the infinite plane.
  void fill(const Soup& soup);
  /// Replaces everything by `cells` whose top-left cell is at `at`; on the infinite plane at.x may
  /// be any.
  void load(const BitGrid& cells, const Cell& at);

  /// Replaces the cells of the rectangle of the size of `cells` whose top-left cell is at `at`; on
  /// the infinite plane the grid grows to hold the live ones. Throws InputError when a bounded
  /// universe does not contain the rectangle, and what `place` throws when growing.
  void edit(const Cell& at, const BitGrid& cells);
  /// Makes all cells dead; the generation stays.
  void clear();

  /// Steps; on the infinite plane in pieces, growing in between. Throws MemoryLimitError when
  /// growing would exceed the limit or the machine's memory: the state is then that of
  /// generation(), valid and usable. The same holds after a DeviceError while growing, unless the
  /// device cannot make the smaller grid again either: then that error comes out and the universe
  /// can only be destroyed.
  void step(std::int64_t generations);
  /// Waits for the device.
  void synchronize();

  /// Cell updates so far: generations times cells of the grid that was stepped, which grows on the
  /// plane.
  double cells_stepped() const { return cells_stepped_; }

  std::int64_t population();
  std::optional<Bounds> bounds();
  std::uint64_t hash();

  /// The cells of any rectangle; outside the grid (or outside a bounded universe) they are dead.
  BitGrid window(const Rect& rect);
  /// Live cells, rule, generation and the position of their bounding box, ready to be written.
  Pattern pattern();
  /// The whole grid that is held now and the absolute position of its top-left cell.
  BitGrid snapshot(Cell* origin);

  /// Absolute coordinates of the backend grid's top-left cell.
  Cell grid_origin() const { return origin_; }
  /// The backend in use; its own coordinates start at grid_origin().
  StepBackend& backend() { return *backend_; }
  const StepBackend& backend() const { return *backend_; }
  /// Moves the cells to a backend of another kind; same bits.
  void use(BackendFactory factory);

 private:
  std::unique_ptr<StepBackend> make(std::int64_t width, std::int64_t height) const;
  void step_grid(std::int64_t generations);
  void hold(const Rect& cells, bool running);
  void reach(const Rect& cells);
  std::int64_t free_generations();

  RuleSpec spec_;
  BackendFactory factory_;
  std::int64_t max_memory_;
  Cell origin_;
  std::int64_t generation_ = 0;
  double cells_stepped_ = 0;
  std::unique_ptr<StepBackend> backend_;
};

}  // namespace tessera
