#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/spaces/activity_sample.h"
#include "core/spaces/space.h"
#include "core/spaces/tiled_space.h"

namespace tessera {

/// When a universe moves between a grid and tiles. Stepping a tile that is visited takes about four
/// times as long per cell as a grid does, and one that is not takes nothing.
struct SwitchPolicy {
  double enter = 0.125;  ///< to tiles when at most this share of the windows moves
  double leave = 0.3;    ///< to a grid when tiles of more than this share of its cells are visited
  /// On the infinite plane that is asked only where more than this share of the tiles is visited:
  /// finding out how large the box is takes as long as a step, and of at least so many cells: a
  /// box grows with the gliders of a small pattern.
  double leave_plane = 0.6;
  double least_plane = 1 << 21;
  std::int64_t patience = 32;  ///< so many visits of all tiles in a row, after a ring's beginning
  /// Likewise on the infinite plane, where what settles soon throws gliders that make a grid grow.
  std::int64_t patience_plane = 256;
  /// Seconds that a grid steps before the first look: asking a device for cells takes up to 2e-3.
  double first_look = 0.05;
  std::int64_t interval = 512;  ///< least generations between two looks
  double looking = 0.01;        ///< most of the time that looks take
  double patient = 0.1;  ///< seconds to the next look, even if one took longer than that allows
  /// Seconds of a generation of a grid below which tiles gain only once all is at rest: a device
  /// visits none of them in a third of that. Such a grid moves when it has stepped for as long as a
  /// move takes.
  double quick = 3e-6;
  double move = 1e-9;  ///< seconds per cell that a move takes

  /// For what backends are asked for: one rule of two states that counts eight neighbours has
  /// kernels of its own; all others are compiled for grids and interpreted for tiles, which takes
  /// longer still.
  static SwitchPolicy of(const BackendSpec& spec);
};

/// A universe as a grid or as tiles, whichever pays: tori and bounded planes begin as a grid, the
/// infinite plane as tiles, and they move whenever enough has come to rest or has come alive. The
/// cells are the same at all times; only the moment of a move depends on how fast things are. Where
/// the factory's backend has no tiles on the same device, it stays a grid.
class AdaptiveSpace final : public Space {
 public:
  /// An empty universe. Throws what the constructors of FixedSpace and GrowingSpace throw. While
  /// the cells move both ways of holding them take memory, each up to `max_memory`.
  AdaptiveSpace(const RuleSpec& spec, BackendFactory factory, std::int64_t max_memory,
                const SwitchPolicy& policy = {});

  Watch* watch() override { return &watch_; }
  const char* kind() const override { return held_->kind(); }
  const BackendInfo& info() const override { return held_->info(); }
  double cells_per_generation() const override { return held_->cells_per_generation(); }
  std::optional<double> device_seconds() override;
  std::vector<Shard> write_shards(const ShardOrder& order) override;
  std::int64_t memory() const override { return held_->memory(); }
  void use(BackendFactory factory) override;
  std::int64_t switches() const override { return switches_; }

 private:
  // That of the grid. A grid whose device makes a picture, or keeps ages, stays one meanwhile.
  class GridWatch final : public Watch {
   public:
    explicit GridWatch(AdaptiveSpace& space) : space_(space) {}
    bool begin_greys(const View& view, const std::optional<DeviceIdentity>& sharing) override;
    bool keep_ages(const View& view, const AgeMap& ages) override;
    void add_ages(std::int64_t generations) override { now()->add_ages(generations); }
    void begin_ages(const std::optional<DeviceIdentity>& sharing) override;
    std::vector<std::int16_t> ages() override { return now()->ages(); }
    std::shared_ptr<const SharedPicture> end(DensityImage& image) override;
    bool in_use() const { return begun_ || keeps_ages_; }
    void forget() { begun_ = keeps_ages_ = false; }

   private:
    Watch* now() const { return space_.held_->watch(); }

    AdaptiveSpace& space_;
    bool begun_ = false, keeps_ages_ = false;
  };

  void do_step(std::int64_t generations) override;
  void do_synchronize() override { held_->synchronize(); }
  Survey do_survey(const SurveyParts& parts) override { return held_->survey(parts); }
  CellGrid do_read(const Rect& rect) override { return held_->read(rect); }
  std::unique_ptr<PieceSource> do_pieces(const Rect& rect) override { return held_->pieces(rect); }
  void do_edit(const Cell& at, const CellGrid& cells) override;
  void do_add(const CellRuns& cells, const Cell& at) override;
  void do_add_states(const CellRuns& live, std::span<const CellRuns> planes,
                     const Cell& at) override;
  void do_load(PieceSource& pieces) override;
  void do_reserve(const Rect& rect) override { held_->reserve(rect); }
  void do_clear() override;
  void do_fill(const Soup& soup) override;
  void do_look(const View& view, DensityImage& image) override { held_->look(view, image); }

  std::unique_ptr<Space> made_grid() const;
  std::unique_ptr<TiledSpace> made_tiles() const;
  void hold_grid(std::unique_ptr<Space> grid);
  void hold_tiles(std::unique_ptr<TiledSpace> tiles);
  void replaced();
  bool same_device(const Space& other) const;
  bool to_grid();
  bool to_tiles();
  void changed();
  template <class Put>
  void put_cells(const Put& put);
  void start_over();
  void advance(std::int64_t generations);
  void step_tiles(std::int64_t generations);
  void step_grid(std::int64_t generations);
  bool grid_pays();
  void watch_crowd();
  double timed_advance(std::int64_t generations);
  void begin_timing();
  bool look_is_due();
  void begin_look();
  void end_look();
  bool tiles_pay(double per_generation);
  void wait_to_look(double per_generation);

  BackendFactory factory_;
  std::int64_t max_memory_;
  SwitchPolicy policy_;
  std::unique_ptr<Space> held_;
  std::int64_t patience_;        // of tiles now: doubled whenever they were left crowded
  TiledSpace* tiled_ = nullptr;  // held_, when it is one
  GridWatch watch_{*this};
  bool may_move_ = true;
  // A grid of the infinite plane is made on another device than tiles, which is known once one was:
  // opening that device again and again would cost more than tiles lose. They move there by
  // themselves when that pays.
  bool grid_elsewhere_ = false;
  std::int64_t switches_ = 0;
  double device_seconds_ = 0;  // of those that were held before

  std::int64_t passed_ = 0;    // generations since the beginning, whatever generation() was set to
  std::int64_t due_ = 0;       // next look, in the same
  std::int64_t interval_ = 0;  // between the last one and the next; 0 before the first of a grid
  std::optional<ActivitySample> sample_;  // of a look under way
  std::int64_t timed_from_ = 0;  // its beginning, or before the first one that of the grid: what
  double stepped_ = 0;           // steps have taken since, in seconds,
  double looked_ = 0;            // and the look
};

}  // namespace tessera
