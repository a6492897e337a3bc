#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/cells/cell_grid.h"
#include "core/cells/soup.h"
#include "core/patterns/pattern.h"
#include "core/rules/rule_spec.h"
#include "core/spaces/space.h"
#include "core/spaces/space_choice.h"
#include "core/stepping/driver.h"

namespace tessera {

/// Cells under a rule in a universe, at a generation, in absolute coordinates. How the cells are
/// held and who steps them is the matter of a Space: nobody who uses a universe sees it.
class Universe {
 public:
  /// An empty universe. `factory` makes the backends; `max_memory` in bytes (0: no limit)
  /// bounds what their cells take; `choice` says how they are held (make_space). Throws what the
  /// factory throws, and InputError when a bounded grid exceeds the limit.
  Universe(const RuleSpec& spec, BackendFactory factory, std::int64_t max_memory = 0,
           SpaceChoice choice = SpaceChoice::automatic);
  /// The universe of any space.
  explicit Universe(std::unique_ptr<Space> space) : space_(std::move(space)) {}

  const RuleSpec& spec() const { return space_->spec(); }
  std::int64_t generation() const { return space_->generation(); }
  void set_generation(std::int64_t generation) { space_->set_generation(generation); }

  // Cells.

  /// Adds a pattern's live cells at its position. Throws InputError, naming the first cell outside,
  /// when a bounded universe cannot hold them, or for states that the rule has not, and
  /// MemoryLimitError or InputError when the plane would need too much.
  void place(const Pattern& pattern);
  /// Fills a bounded universe; throws InputError on the infinite plane.
  void fill(const Soup& soup) { space_->fill(soup); }
  /// Replaces everything by placed pieces (Space::load).
  void load(PieceSource& pieces) { space_->load(pieces); }
  /// Replaces everything by `cells` whose top-left cell is at `at`.
  void load(const CellGrid& cells, const Cell& at);
  /// Replaces the cells of the rectangle of the size of `cells` whose top-left cell is at `at`; the
  /// infinite plane holds live ones anywhere (Space::edit).
  void edit(const Cell& at, const CellGrid& cells) { space_->edit(at, cells); }
  /// Makes all cells dead; the generation stays.
  void clear() { space_->clear(); }

  /// The cells of any rectangle; outside a bounded universe they are dead.
  CellGrid window(const Rect& rect) { return space_->read(rect); }
  /// The whole of a bounded universe; on the infinite plane the box of the live cells, or the cell
  /// (0, 0) when there are none.
  Rect extent() { return space_->extent(); }
  /// The cells of a rectangle of the universe as placed pieces, read while they are asked for.
  std::unique_ptr<PieceSource> pieces(const Rect& rect) { return space_->pieces(rect); }
  /// Space::write_shards.
  std::vector<Shard> write_shards(const ShardOrder& order) { return space_->write_shards(order); }
  /// Live cells, rule, generation and the position of their bounding box, ready to be written
  /// (pattern_of).
  Pattern pattern();

  // Time.

  /// Steps; may return before it is done. Throws MemoryLimitError when there is no memory for what
  /// the cells become: the state is then that of generation(), valid and usable (Space::step).
  void step(std::int64_t generations) { space_->step(generations); }
  /// Waits for the device.
  void synchronize() { space_->synchronize(); }

  // What there is to know.

  /// The parts that are asked for, in one pass.
  Survey survey(const SurveyParts& parts = kWholeSurvey) { return space_->survey(parts); }
  std::int64_t population() { return survey({.population = true}).population; }
  std::optional<Bounds> bounds() { return survey({.bounds = true}).bounds; }
  std::uint64_t hash() { return survey({.hash = true}).hash; }
  /// How many cells of a bounded universe, or of the live cells' box, have each state (of
  /// CellGrid::census).
  std::vector<std::int64_t> census();

  /// A picture of any rectangle (Space::look).
  void look(const View& view, DensityImage& image) { space_->look(view, image); }
  /// The same of a rule of several states, with their numbers as bytes (Space::look_states).
  void look_states(const View& view, DensityImage& image) { space_->look_states(view, image); }
  /// Pictures that a device makes while it goes on stepping, or null; good until `use`.
  Watch* watch() { return space_->watch(); }

  /// How the cells are held: "grid", "tiles".
  const char* space() const { return space_->kind(); }
  /// How often that has changed by itself.
  std::int64_t space_switches() const { return space_->switches(); }
  /// Who steps, at this moment.
  const BackendInfo& info() const { return space_->info(); }
  /// Cell updates so far: generations times cells that were visited in each.
  double cells_stepped() const { return space_->cells_stepped(); }
  /// Cells that stepping one generation visits, as things are now.
  double cells_per_generation() const { return space_->cells_per_generation(); }
  /// Seconds of device time spent in `step`, by the device's own clock; nothing where it has none.
  std::optional<double> device_seconds() { return space_->device_seconds(); }
  /// Bytes that one copy of the cells takes at most.
  std::int64_t memory() const { return space_->memory(); }
  /// Moves the cells to a backend of another kind; same bits. They may be held in another way then.
  void use(BackendFactory factory) { space_->use(std::move(factory)); }

 private:
  void check_fits(const Pattern& pattern, const Cell& at, const Rect& cells) const;

  std::unique_ptr<Space> space_;
};

}  // namespace tessera
