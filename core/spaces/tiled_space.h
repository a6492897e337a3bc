#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/spaces/dense_space.h"
#include "core/spaces/space.h"
#include "core/tiles/tile_move.h"
#include "core/tiles/tile_plane.h"

namespace tessera {

/// A universe as tiles, of which only what moves is stepped (core/tiles/tile_plane.h): time and
/// memory go with what happens, not with the box around it. For plain tori and planes whose empty
/// parts stay empty, under rules of any number of states.
class TiledSpace final : public Space {
 public:
  /// An empty universe. The factory's backends must offer tiles (StepBackend::tiles): throws
  /// UnsupportedError where they do not, or not for a bounded plane, and what `refusal` says, and
  /// what the factory throws. `max_memory` in bytes bounds what the tiles take; 0: what the machine
  /// has. `many`: who is best at many tiles steps them from the beginning
  /// (BackendSpec::many_tiles); otherwise who is best at a few, and the former when that pays by
  /// these costs.
  TiledSpace(const RuleSpec& spec, const BackendFactory& factory, std::int64_t max_memory,
             bool many = false, const MoveCosts& costs = {});

  /// Why no tiles hold a universe, whoever steps them, or nothing: a rule of a file, one that sees
  /// too far, ranges in turns; B0, where sides end; one side that ends; edges that are shifted or
  /// twisted.
  static std::optional<std::string> refusal(const RuleSpec& spec);

  /// What the factory is asked for: a small grid, whose backend is asked for tiles alone.
  static BackendSpec asks(const RuleSpec& spec, std::int64_t max_memory = 0, bool many = false);

  /// From now on `step` returns early, in the generation that generation() tells, once more than
  /// `share` of the tiles, of those that a bounded universe can have or of those in memory, are
  /// visited for `patience` steps beyond the period of the ring; `crowded` then says so, until this
  /// is called again.
  void watch_crowd(double share, std::int64_t patience);
  /// As `take` from a grid on the device that the tiles are on, most of which live: the cells take
  /// no way through the host. False where that cannot be, and nothing has changed.
  bool take_there(DenseSpace& grid);
  /// Whether the tiles are in a device's memory now.
  bool on_device() const { return plane_->lent(); }
  /// Whether they may go there, and come back, as far as is known.
  bool movable() const { return movable_; }
  bool crowded() const { return busy_ > patience_ + plane_->period(); }

  const char* kind() const override { return "tiles"; }
  const BackendInfo& info() const override { return info_; }
  double cells_per_generation() const override;
  std::int64_t memory() const override;
  std::vector<Shard> write_shards(const ShardOrder& order) override;
  void use(BackendFactory factory) override;

 private:
  void do_step(std::int64_t generations) override;
  void do_synchronize() override {}
  Survey do_survey(const SurveyParts& parts) override;
  CellGrid do_read(const Rect& rect) override;
  std::unique_ptr<PieceSource> do_pieces(const Rect& rect) override;
  void do_edit(const Cell& at, const CellGrid& cells) override;
  void do_add(const CellRuns& cells, const Cell& at) override;
  void do_add_states(const CellRuns& live, std::span<const CellRuns> planes,
                     const Cell& at) override;
  void do_clear() override;
  void do_fill(const Soup& soup) override;
  void do_look(const View& view, DensityImage& image) override;

  TilePlane& settled() const;
  void check_memory(std::int64_t more) const;
  void check_tiles(const CellRuns& cells, const Cell& at) const;
  Rect own(const Rect& rect) const;
  void look_plain(const View& view, DensityImage& image);
  bool go_on();
  double steps_to(std::int64_t generation) const;
  void note_step();
  void move();
  void step_some(std::int64_t generations);
  [[noreturn]] void cannot_go_on(const std::string& why) const;

  BackendFactory factory_;
  std::int64_t max_memory_;
  BackendInfo home_;  // who steps a few tiles
  std::unique_ptr<TilePlane> plane_;
  // The universe's top-left cell, which is (0, 0) in plane_; on the infinite plane (0, 0) itself.
  Cell corner_;
  BackendInfo info_;
  // Who may step many of them, and whether there is anybody: asked for when it would pay.
  std::unique_ptr<TileDevice> device_;
  BackendInfo device_info_;
  MoveCosts costs_;
  TileMove move_;
  bool movable_ = !plane_->lent();
  std::int64_t noted_ = 0;  // generation of the plane, when it was accounted for last
  double noted_cells_ = 0;  // and what it had stepped
  std::chrono::steady_clock::time_point noted_at_;
  double crowd_ = 2;  // a share that tiles never have
  std::int64_t patience_ = 0;
  std::int64_t busy_ = 0;   // steps in a row that visited more
  std::int64_t reach_ = 0;  // generations for which no live cell gets too far out
};

}  // namespace tessera
