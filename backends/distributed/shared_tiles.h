#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "backends/distributed/local_team.h"
#include "backends/distributed/tile_cuts.h"
#include "backends/distributed/tile_part.h"
#include "core/tiles/tile_device.h"

namespace tessera {

/// When several parts share tiles, and how evenly.
struct SharePolicy {
  /// Tiles visited per generation from which all parts step. Where they are fewer than a quarter of
  /// that, the fastest part alone steps faster: the others would wait for borders most of the time.
  double worth = 512;
  /// Visits per tile that dividing the tiles takes as long as. One part steps alone until it has
  /// visited as much: then at most twice the time is lost that a better guess would have taken.
  double dividing = 0;
  double uneven = 1.25;        ///< tiles move when a part has so many times its due share
  std::int64_t interval = 32;  ///< least steps between two looks at that
  /// More tiles than this are shared however little moves, as soon as they are there, so that no
  /// part ever holds all of them; 0: any number may lie in one part.
  std::int64_t most_alone = 0;
  bool measured = false;  ///< the parts are unlike: what their visits take says how fast they are
};

/// One part: makes its device, and how fast that is compared with the others' (tiles per second in
/// any unit).
struct TileShare {
  std::function<std::unique_ptr<TileDevice>()> make;
  double speed = 1;
};

/// The tiles of one plane, shared out among devices of any kind that step at the same time.
///
/// Each part owns a stretch of the plane (TileCuts) and knows its tiles by numbers of its own. A
/// tile that another part's tiles see stands there as a ghost: present in memory, never visited.
/// One step takes up to kTileMargin generations and lets a window see one tile far, so that after
/// each step the border tiles that have become others than in their slot travel through the host,
/// and wake who sees that: the rule by which tiles wake each other anywhere. So every part visits
/// the tiles that one device would, and makes the same bits. As long as one part has all tiles it
/// takes many steps at a time.
///
/// Who is visited more than his share gives tiles to his neighbours: cuts move, and only the tiles
/// between the old ones and the new ones travel, with all slots of the ring.
///
/// Tiles that repeat others along the edges of a torus (TileLayout) stand on devices as ghosts,
/// too. The host makes them; but while one part has all tiles and makes copies itself, that part
/// does, so that no step is waited for.
///
/// As TileDevice; but where a device has no memory for a ring that others have begun already, the
/// error is a DeviceError.
class SharedTiles final : public TileDevice {
 public:
  /// At least one share. Devices are made and used on threads of their own, and on that of who
  /// calls; each by one at a time. Throws what they throw.
  SharedTiles(const std::vector<TileShare>& shares, const SharePolicy& policy);
  ~SharedTiles() override;

  int planes() const override { return static_cast<int>(planes_); }
  int reach() const override { return parts_.front()->device().reach(); }
  bool two_rules() const override;
  void set_frames(const std::vector<TileFrame>& frames) override;
  bool makes_copies() const override { return true; }
  void set_copies(const std::vector<TileCopy>& copies) override;
  void reserve(TileId end) override;
  void restart(int kept, int slots) override;
  void patch(const TilePatch& patch) override;
  DeviceProgress step(std::span<const DeviceStep> steps,
                      std::vector<MissingTiles>& missing) override;
  void look_ahead(int now, int generations, bool odd) override;
  void look(int slot, bool of_all_slots, bool remember, std::vector<TileFacts>& facts) override;
  void get(int slot, std::span<const TileId> tiles, std::vector<TileRows>& rows) override;
  void lone_shapes(int slot, int cells, int most, std::vector<LoneShape>& shapes) override;
  bool in_processes() const override;
  std::vector<Shard> write_shards(const TileShard& what, std::span<const TileId> without) override;
  std::int64_t bytes_per_tile() const override;
  std::int64_t limit() const override;

  /// Tiles that each part steps when something moves there, and visits that it has made.
  std::vector<std::int64_t> tiles_of_parts() const;
  std::vector<double> visits_of_parts() const { return visits_; }

 private:
  static constexpr std::size_t kNobody = ~std::size_t{0};

  // A tile by its number for all parts.
  struct Place {
    Cell at;
    std::array<TileId, kTileWays> next{};
    std::size_t part = kNobody;
    TileId number = 0;         // that part's
    std::uint32_t mirror = 0;  // 0: none
    std::uint8_t frame = 0, nowhere = 0;
    bool moved = false;   // since the last look that was remembered
    bool source = false;  // copies repeat some of it
    bool copy = false;    // it is one, and nobody steps it
    bool used() const { return part != kNobody; }
  };

  void on_parts(const std::function<void(TilePart&, std::size_t)>& work);
  void on_some(const std::function<bool(const TilePart&, std::size_t)>& wanted,
               const std::function<void(TilePart&, std::size_t)>& work);
  std::size_t home_of(const Cell& at) const;
  std::size_t maker_of(TileId tile) const;
  TileId number_in(std::size_t part, TileId tile) const;
  void adopt(TileId tile, const TilePatch::Links& links);
  void leave(TileId tile);
  std::uint32_t mirror_of(TileId tile);
  void drop_mirror(std::uint32_t mirror);
  void settle_ghosts(TileId tile);
  void read_mirrors();
  void read_all_mirrors();
  void relink(TileId tile);
  void flush(int slot);
  void make_room(int slot);
  bool heaped(std::int64_t all) const;
  void list_borders();

  // The cells of tile `index` of a list.
  std::span<const TileRows> planes_of(const std::vector<TileRows>& rows, std::size_t index) const {
    return std::span(rows).subspan(index * planes_, planes_);
  }

  void hold_all(int slot);
  bool take_all_alone(std::span<const DeviceStep> steps, std::vector<MissingTiles>& missing,
                      DeviceProgress& done);
  DeviceProgress take_together(std::span<const DeviceStep> steps);
  bool show(TileMirror& mirror, int slot, std::span<const TileRows> cells) const;
  void take_borders(TilePart& part, int slot);
  void give_ghosts(std::size_t part, int slot);
  void wake(const TileMirror& mirror, std::uint32_t ways, std::size_t part);
  bool renew(const TileCopy& copy, int slot);
  void renew_copies(int slot);
  void give_copies(int slot);
  void take_copies_back();
  void tell_missing(std::vector<MissingTiles>& missing) const;

  void balance(int slot);
  bool repays_dividing() const;
  double visits_in_all() const;
  void gather(int slot);
  void divide(int slot, bool by_room);
  void move_to_cuts(int slot);
  bool has_room(std::span<const TileId> tiles, std::span<const std::size_t> to);
  bool migrate(std::span<const TileId> tiles, int slot);
  void forget_loads();

  SharePolicy policy_;
  LocalTeam team_;
  std::vector<std::unique_ptr<TilePart>> parts_;
  std::size_t planes_ = 1;      // of all parts
  std::vector<double> visits_;  // by part, in all
  std::vector<Place> places_;   // by tile
  std::vector<TileMirror> mirrors_{TileMirror{}};
  std::vector<std::uint32_t> free_mirrors_, unread_;
  bool borders_listed_ = false;
  std::vector<TileCopy> copies_;
  bool copies_at_home_ = false;  // who has all tiles makes them, and mirrors show nothing

  bool divided_ = false;
  std::int64_t divided_tiles_ = 0;  // that there were when they were divided because they are many
  double divided_until_ = 0;  // tile visits times generations of all parts, when they were last
  std::size_t home_ = 0;      // who has all tiles while they are not divided
  TileCuts cuts_;
  std::int64_t since_ = 0;  // generations since loads were looked at,
  std::int64_t steps_ = 0;  // and steps
  std::int64_t interval_ = 0;

  std::uint64_t step_ = 0;  // stamp of the present one, see TileMirror::changed
  bool unsure_ = false;     // a step has failed in the middle
  int forced_ = 0;          // steps for which all borders count as changed
};

}  // namespace tessera
