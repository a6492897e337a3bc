#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/geometry.h"
#include "core/cells/bit_grid.h"
#include "core/cells/cell_grid.h"
#include "core/pictures/cell_counts.h"
#include "core/rules/rule.h"
#include "core/stepping/survey.h"
#include "core/tiles/departures.h"
#include "core/tiles/device_tiles.h"
#include "core/tiles/schedule.h"
#include "core/tiles/tile_pool.h"
#include "core/tiles/tile_table.h"

namespace tessera {

/// Live cells of a tile, and where it lies, in tiles.
struct PlacedTile {
  Cell at;
  TileRows rows{};
  /// The states of these cells by plane; without planes they have state 1.
  std::vector<TileRows> planes{};
};

/// A universe as tiles, of which only those are stepped whose surroundings are not what they were a
/// whole ring of steps ago: the infinite plane, or a torus or bounded plane of any size, whose
/// top-left cell is (0, 0) here (TileLayout).
///
/// A tile keeps its states of the last K steps, whose lengths add up to P generations. Step s + 1
/// overwrites what step s + 1 - K has left. Where nothing in a tile's window differs from K steps
/// ago, the result lies there already, and the tile is not visited. So whatever has a period that
/// divides P costs nothing: still lifes, oscillators, and streams of gliders too. Gliders that
/// nothing can reach leave the infinite plane (departures.h), and a universe in which nothing is
/// visited any more is jumped over.
///
/// For rules without B0, also two in turns: then the sum P is even. Where neighbours are further
/// away (TilePool::reach), steps have as many generations less. Generations count from 0 at the
/// beginning. Not thread-safe.
class TilePlane {
 public:
  /// Throws UnsupportedError where the pool does not take the layout.
  TilePlane(const Rule& rule, std::unique_ptr<TilePool> pool, const TileLayout& layout = {});
  /// A device takes all steps.
  TilePlane(const Rule& rule, std::unique_ptr<TileDevice> device, const TileLayout& layout = {});
  /// Lends the tiles to a device, which takes the steps from now on until they are brought home:
  /// that gives the device back. A plane without a pool cannot bring them home. Throws as
  /// TileDevice does, and nothing has changed then.
  void lend(std::unique_ptr<TileDevice> device);
  std::unique_ptr<TileDevice> bring_home();
  bool lent() const { return device_ != nullptr; }

  /// Steps; any number >= 0. `go_on` is asked between steps; when it says no, stepping ends early,
  /// in a whole generation. So it does where memory ends: throws std::bad_alloc, or as TileDevice
  /// does, and the present cells can be read.
  void step(std::int64_t generations, const std::function<bool()>& go_on = {});
  std::int64_t generation() const { return generation_ + ahead_; }
  /// Where two rules take turns (TilePool::two_rules): whether the second one steps from the
  /// present generation on. At first the first one does.
  void set_turn(bool odd);

  /// All cells dead.
  void clear();
  /// Bit planes of a cell's state.
  int planes() const { return planes_; }
  /// Replaces the cells of the rectangle of the size of `cells` at `at`, inside the universe.
  void edit(const Cell& at, const CellGrid& cells);
  /// Takes all cells of a bounded universe from a grid on the device that the tiles are on, without
  /// a way through the host. It makes all tiles: for a universe most of which lives. False where
  /// the device cannot, or has no memory for all of them, and nothing has changed. Throws as
  /// TileDevice does.
  bool take_from(StepBackend& grid);
  /// Gives the live cells of tiles, all inside the universe, their states; the others stay.
  void add(const std::vector<PlacedTile>& tiles);
  /// Steps what stepping has left for those who look: whoever reads cells does so first. Throws
  /// std::bad_alloc, or as TileDevice does, and nothing has changed then.
  void settle();
  /// The live cells of a rectangle; outside the universe there are none.
  BitGrid read(const Rect& rect);
  /// All cells of a rectangle.
  CellGrid read_states(const Rect& rect);
  Survey survey(const SurveyParts& parts);
  /// Rectangles that between them hold all live cells within `rect`, none of them twice: for each
  /// row of tiles its runs of tiles with live cells, in reading order.
  std::vector<Rect> runs(const Rect& rect);
  /// Where the tiles lie in several processes: each writes its live cells as a shard. They lie in
  /// the order's extent, and (0, 0) is its cell `corner`. Throws what write_shard does.
  std::vector<Shard> write_shards(const ShardOrder& order, const Cell& corner);
  /// Counts the live cells of a rectangle by ceil(width/scale) x ceil(height/scale) pixels of
  /// scale x scale cells. Tiles out of sight are not looked at, and those within a pixel not cell
  /// by cell.
  void count(const Rect& rect, std::int64_t scale, CellCounts& counts);
  /// The same in bytes, of pixels of fewer than 256 cells.
  void count_in_bytes(const Rect& rect, std::int64_t scale, PixelRows<std::uint8_t>& counts);
  /// Bytes that one more tile with live cells may take.
  std::int64_t bytes_per_tile() const;
  /// Bytes that replacing the cells of a rectangle may take in addition to bytes().
  std::int64_t bytes_for(const Cell& at, const CellGrid& cells) const;

  /// Tiles in memory.
  std::int64_t tiles() const { return table_.count(); }
  /// Those of them that hold a live cell (on a device perhaps only beyond a torus's edge), and at
  /// most as many as gliders off the plane lie in.
  std::int64_t live_tiles();
  /// Tiles that the next step visits.
  std::int64_t active() const {
    return device_ ? device_->active() : static_cast<std::int64_t>(work_.list.size());
  }
  /// Gliders that are off the plane.
  std::int64_t gliders_away() const { return departures_.away(); }
  /// Tiles visited so far, each stepping kTileSide^2 cells, times generations.
  double cells_stepped() const { return cells_stepped_; }
  /// Period of which everything is free.
  std::int64_t period() const { return schedule_.period(); }
  /// Bytes that they take where they are stepped.
  std::int64_t bytes() const {
    return device_ ? device_->bytes() : table_.bytes() + store_->bytes();
  }
  /// Bytes that the states of visited tiles may take in all slots of the ring where a shorter one
  /// would do, too: then more is computed that has a period.
  static constexpr std::int64_t kRingBytes = std::int64_t{1} << 26;
  void limit_ring(std::int64_t bytes) { ring_bytes_ = bytes; }
  /// Bytes of states beyond which equal ones are looked for, now and then; 0: after every step.
  static constexpr std::int64_t kShareBytes = std::int64_t{1} << 22;
  void share_from(std::int64_t bytes) { share_from_ = share_due_ = bytes; }
  /// Bytes that are allowed there (TilePool::limit, TileDevice::limit).
  std::int64_t limit() const { return device_ ? device_->limit() : pool_->limit(); }

 private:
  // Cells of the gliders that are away, by the tile that they would lie in: (y, x).
  using Overlay = std::map<std::pair<std::int64_t, std::int64_t>, TileRows>;

  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();  // a generation

  // The generation so many further on, or kNever where there is no such number.
  std::int64_t later(std::int64_t generations) const {
    return generations < kNever - generation_ ? generation_ + generations : kNever;
  }
  int slot() const { return static_cast<int>(steps_ % schedule_.slots()); }
  // Whether the second of two rules steps from slot() on.
  bool odd_turn() const { return pace_.even && (generation_ % 2 != 0) != turned_; }
  // Behind the ring's slots a device holds what it has looked ahead at.
  int present_slot() const { return ahead_ ? schedule_.slots() : slot(); }
  // After settle(); of tiles on a device as they were when seen last.
  const TileState* present() const {
    if (device_) return device_->states();
    return ahead_ ? ahead_states_.data() : table_.slot(slot());
  }
  void see();
  void queue(TileWork& work, TileId tile);
  void wake(TileWork& work, const Cell& at);
  void wake_beside(TileWork& work, TileId tile, std::uint32_t ways);
  // A copy that is made anew.
  struct Renewal {
    Cell at;
    TileId tile = 0;         // 0: it is not in the table
    bool changed = false;    // it is another one than in its slot,
    std::uint32_t ways = 0;  // and these neighbours see that
  };
  void repeat(Renewal& copy, int slot, std::span<TileRows> cells) const;
  void renew(const Renewal& copy, int slot, std::span<const TileRows> cells, TileWork& work);
  void renew_copy(const Cell& at);
  void renew_copies(int slot, TileWork& work);
  void one_step();
  void sweep();
  void make_reached_neighbours();
  void make_ahead();
  void step_ahead();
  void forget_ahead();
  void restart(const Schedule& schedule);
  bool try_restart(const Schedule& schedule);
  void lengthen_ring(std::int64_t to_come);
  int most_slots(std::int64_t bytes) const;
  Schedule usual_schedule() const;
  void prepare_edit();
  void suit(std::int64_t generations);
  bool at_rest();
  void touched(TileId tile, std::uint32_t ways = (1u << kTileWays) - 1);
  TileRows rows_of(TileId tile);
  bool may_live(TileId tile) const;
  void cells_of(TileId tile, std::span<TileRows> planes);
  void fetch(std::vector<TileId> tiles);
  void add_lone_gliders(TileId tile, std::vector<Glider>& gliders);
  std::vector<Glider> lone_gliders();
  void add_lone_gliders_at_home(int most_cells, std::vector<Glider>& gliders);
  void step_on_device(std::int64_t generations);
  void restart_on_device(const Schedule& schedule);
  void begin_ring(const std::vector<TileId>& live);
  void make_around(const Cell& tile);
  void replace(TileId tile, std::span<const TileRows> planes);
  void draw(const Cell& at, const CellGrid& cells, bool keep);
  void draw_tiles(const Rect& tiles, const Cell& at, const CellGrid& cells, bool keep);
  void add_cells(const Glider& glider, bool alive);
  template <class Visit>
  void for_each_tile(const Glider& glider, const Visit& visit) const;
  void fetch_around(const std::vector<Glider>& gliders);
  void make_way(const Glider& glider, std::int64_t generations);
  void return_gliders(const std::vector<Glider>& gliders);
  void check_gliders();
  void begin_watch();
  bool still(TileId tile) const;
  static std::uint64_t fingerprint(std::span<const TileRows> planes);
  void share_equal();
  void look_closely();
  void watch();
  void end_glance();
  void end_watch();
  void watch_again_at(std::int64_t generation);
  bool rows_at(std::int64_t x, std::int64_t y, const Overlay& overlay, TileRows& rows) const;
  bool cells_at(const Cell& at, const Overlay& overlay, std::span<TileRows> planes) const;
  void read_planes(const Rect& rect, std::span<BitGrid* const> grids);
  bool lives(TileId tile, TileState state) const;
  Overlay overlay() const;
  std::vector<Cell> places(const Overlay& overlay) const;
  std::vector<Cell> places_within(const Rect& rect, const Overlay& overlay) const;
  // Of the states in a slot: how many cells live, and what they add to the state hash.
  struct Sums {
    std::int64_t counted = -1, hashed = -1;  // steps_ for which these hold; -1: for none
    std::int64_t population = 0;
    std::uint64_t hash = 0;
    std::vector<int> populations;               // by tile
    std::vector<std::uint64_t> hashes;          // by group of tiles
    std::map<std::int64_t, int> columns, rows;  // of tiles: how many of their tiles live
  };
  struct PlaceHash {
    std::size_t operator()(const std::pair<std::int64_t, std::int64_t>& at) const;
  };
  int population_of(TileId tile) const;
  std::uint64_t hash_of_group(std::int64_t group, std::int64_t y, const Overlay& overlay) const;
  std::uint64_t hash_of(const Overlay& away) const;
  std::uint64_t hash_in_passing();
  void count_again(Sums& sums, TileId tile);
  void hash_again(Sums& sums, TileId tile);
  void sum_again(TileId tile);
  const Sums& sums(bool hash);
  void forget_sums();
  std::optional<Bounds> box(const Sums& sums) const;
  Survey whole_survey(const SurveyParts& parts) const;
  Survey device_survey(const SurveyParts& parts);
  std::optional<Cell> pixel_of(const Cell& place, const Rect& rect, std::int64_t scale) const;
  template <class Count>
  void count_seen(const Rect& rect, std::int64_t scale, PixelRows<Count>& counts);
  bool count_on_device(const Rect& rect, std::int64_t scale, CellCounts& counts);

  // A tile's cells by plane; as many are in use as planes_ says.
  using Planes = std::array<TileRows, kMostTilePlanes>;
  std::span<TileRows> in_use(Planes& planes) const {
    return std::span(planes).first(static_cast<std::size_t>(planes_));
  }
  // What the tiles of a group that live add to the state hash, see hash_of_group.
  std::uint64_t hash_of_tiles(std::int64_t group, std::int64_t y, std::span<const Planes> cells,
                              std::span<const bool> live) const;

  Rule rule_;
  std::unique_ptr<TileStore> store_;
  int planes_ = 1;
  TilePool* pool_ = nullptr;  // the same, where tiles can be stepped at home
  std::int64_t ring_bytes_ = kRingBytes;
  SchedulePace pace_;
  Schedule schedule_;
  TileTable table_;
  std::unique_ptr<DeviceTiles> device_;  // while a device steps
  std::int64_t generation_ = 0;          // of the state in slot()
  std::int64_t steps_ = 0;               // since the ring was begun
  TileWork work_, next_work_;            // of the next step, and of the one after it
  std::vector<Renewal> renewals_;        // scratch of renew_copies
  std::vector<TileRows> renewed_;        // their cells, by plane
  // By slot: tiles to visit then whatever their surroundings say, because a state that was replaced
  // by hand would be taken for the one that follows.
  std::vector<std::vector<Cell>> forced_;
  TileId sweep_at_ = 1;
  std::int64_t share_from_ = kShareBytes, share_due_ = kShareBytes;  // bytes of states

  // Some generations beyond slot(), fewer than its step has, or 0. Their states are made when
  // somebody looks.
  int ahead_ = 0;
  bool ahead_made_ = false;
  std::vector<TileState> ahead_states_;

  // The number of generations that was asked for last, and how often in a row by who then looked.
  std::int64_t asked_ = 0;
  bool looked_ = false;  // somebody looked at the cells since
  int asked_times_ = 0;
  bool strides_ = false;  // the schedule suits such a habit, `stride_`
  std::int64_t stride_ = 0;

  GliderKind kind_;
  bool turned_ = false;  // the second of two rules in turns steps from even generations
  bool gliders_leave_;
  Departures departures_;
  // Looks at a device's gliders for which windows with several cells are left out, and how many of
  // those to come.
  int several_pause_ = 0, several_wait_ = 0;
  std::int64_t gliders_due_ = 0;  // generation by which they must have been looked at again
  bool rest_known_ = false;       // they were since anything moved last, and
  bool rest_free_ = false;        // nothing that stands still can meet those away
  // The first generation after which tiles are watched closely.
  static constexpr std::int64_t kFirstWatch = 4096;
  std::int64_t watch_due_ = 0;  // generation
  // Active tiles that are watched for their periods, and what was seen of them.
  struct Watched {
    Cell at;
    std::vector<std::uint64_t> seen;
    int glanced = 0;  // a multiple of its period, as a glance showed; 0: unknown
  };
  std::vector<Watched> watched_;       // empty: nothing is watched
  bool glancing_ = false;              // a step apart, to see whether a closer watch would pay
  std::optional<Schedule> unwatched_;  // the schedule before
  double cells_stepped_ = 0;

  std::vector<Sums> sums_;  // by slot; empty: nobody has asked
  // Groups of tiles side by side that share words of the state hash, by row and number from x = 0.
  std::unordered_map<std::pair<std::int64_t, std::int64_t>, std::size_t, PlaceHash> groups_;
  std::vector<std::uint64_t> groups_seen_;  // the last pass in which each was hashed
  std::uint64_t groups_stamp_ = 0;
};

}  // namespace tessera
