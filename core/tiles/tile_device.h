#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/files/shard.h"
#include "core/tiles/tile.h"
#include "core/tiles/tile_pool.h"
#include "core/tiles/tile_table.h"

namespace tessera {

struct NumberedPlace;
class StepBackend;
struct TileShard;

/// One of the steps that a device takes without asking: from slot `now` to slot `after`.
struct DeviceStep {
  int now = 0, after = 0;
  int generations = 0;  ///< as in TileStep
  bool odd = false;     ///< as in TileStep
};

/// What a host changes between steps. The lists of a pair are equally long.
struct TilePatch {
  int slot = 0;                 ///< the present one
  std::uint32_t visit_for = 0;  ///< steps for which `held` tiles are visited, whatever happens

  struct Links {
    Cell at;                               ///< the tile's place, in tiles; for who shares tiles out
    bool used = false;                     ///< false: its number is free, and all else undefined
    std::array<TileId, kTileWays> next{};  ///< as in Tile
    std::uint8_t frame = 0;                ///< likewise
    std::uint8_t nowhere = 0;              ///< bit d: the universe ends in way d
    bool copy = false;                     ///< as in Tile
  };
  std::vector<TileId> linked;
  std::vector<Links> links;
  std::vector<TileId> drawn;   ///< tiles whose present cells are replaced
  std::vector<TileRows> rows;  ///< by these: TileDevice::planes() for each, one plane after another
  std::vector<TileId> queued;  ///< tiles that the next step visits
  std::vector<TileId> held;    ///< those that all steps of the next round of the ring visit

  bool empty() const { return linked.empty() && drawn.empty() && queued.empty() && held.empty(); }
};

/// A tile that repeats others (TileLayout), and what of them.
struct TileCopy {
  struct Part {
    TileId tile = 0;
    int from_x = 0, from_y = 0;  ///< its first cell that is repeated
    int x = 0, y = 0;            ///< where that stands in the copy
    int width = 0, height = 0;
  };
  TileId tile = 0;
  std::vector<Part> parts;
};

/// What a device did of the steps that it was given.
struct DeviceProgress {
  /// Taken; fewer than given where neighbours are missing, or where all would take long.
  std::int64_t steps = 0;
  std::int64_t active = 0;  ///< tiles that the next step visits
  double visits = 0;        ///< tiles visited times generations
};

/// What a look at a tile tells.
struct TileFacts {
  std::uint16_t bits = 0;

  int population() const { return bits & 0xFFF; }  ///< live cells in the slot looked at
  bool changed() const {
    return bits >> 15 & 1;
  }                                              ///< its cells may be others than at the last look
  bool idle() const { return bits >> 14 & 1; }   ///< empty in all slots, and not to be visited
  bool lived() const { return bits >> 13 & 1; }  ///< has live cells in some slot
};

/// At most 3 x 3 cells with nothing else in a tile's window; the box begins in the tile.
struct LoneShape {
  TileId tile = 0;
  int x = 0, y = 0;  ///< of the box, from the tile's first cell
  int shape = 0;     ///< bit 3 y + x: its cells; 0: the window holds more cells than were asked for
};

/// A ring of states of tiles in the memory of a device, and its kernels, which make the worklists
/// themselves: a host gives many steps at once and hears what came of them. Tiles are those of a
/// TileTable, by number; every state of every slot has a place of its own. One slot more than the
/// ring has, `slots()`, holds what was looked ahead at.
///
/// Throws DeviceError when the device fails, and where memory runs out DeviceMemoryError: then
/// nothing has changed. Not thread-safe.
class TileDevice {
 public:
  /// Steps of one ring, at most: stamps of steps fit 32 bits.
  static constexpr std::uint32_t kMostSteps = 0xFFFF0000u;

  virtual ~TileDevice() = default;

  int slots() const { return slots_; }
  /// Bit planes of a cell's state, as TileStore::planes.
  virtual int planes() const { return 1; }
  /// As TilePool::reach and TilePool::two_rules.
  virtual int reach() const { return 1; }
  virtual bool two_rules() const { return false; }

  /// As TilePool::set_frames.
  virtual void set_frames(const std::vector<TileFrame>& frames) = 0;
  /// Whether it makes copies by itself, and so quickly. Where not, set_copies() may refuse them,
  /// and who shares tiles out makes them.
  virtual bool makes_copies() const = 0;
  /// All copies: they are never visited, but made anew whenever what they repeat has changed. The
  /// tiles around them exist as long as they do, they are linked with those as any tile is, and
  /// there is room for all of them. No copies need no memory: no tile is made anew any more.
  virtual void set_copies(const std::vector<TileCopy>& copies) = 0;
  /// Room for tiles below this number; whether so many are allowed is for who asks to say.
  virtual void reserve(TileId end) = 0;
  /// Begins a ring of `slots` slots, the first of which holds what slot `kept` has held, or nothing
  /// for -1; all others are empty, and no tile is to be visited.
  virtual void restart(int kept, int slots) = 0;
  /// Changes what the host wants changed. All numbers have room.
  virtual void patch(const TilePatch& patch) = 0;
  /// Whether it may take the cells of a torus or plane of two states from that grid: it lies on the
  /// same device.
  virtual bool takes_from(const StepBackend&) const { return false; }
  /// Replaces what stands in slot `slot` of `tiles`, all of a universe row by row, by the cells of
  /// a grid that it takes from. They have room. Waits.
  virtual void take_from(StepBackend&, int /*slot*/, std::span<const TileId> /*tiles*/) {
    throw std::logic_error("these tiles take the cells of no grid");
  }
  /// Takes the steps up to and with the first that finds neighbours missing which the next would
  /// have to visit. Waits.
  virtual DeviceProgress step(std::span<const DeviceStep> steps,
                              std::vector<MissingTiles>& missing) = 0;
  /// Puts the cells of all tiles so many generations after slot `now` into slot slots(); `odd` as
  /// in DeviceStep.
  virtual void look_ahead(int now, int generations, bool odd) = 0;
  /// Facts of all tiles, by number; `of_all_slots` where idle() and lived() are wanted. With
  /// `remember` the next look's changed() is about what happened since.
  virtual void look(int slot, bool of_all_slots, bool remember, std::vector<TileFacts>& facts) = 0;
  /// The cells of some tiles in a slot: planes() for each, one plane after another.
  virtual void get(int slot, std::span<const TileId> tiles, std::vector<TileRows>& rows) = 0;
  /// With one plane: shapes of `cells` cells in slot `slot` that stand alone in a window of a tile
  /// that is to be visited next, and tiles with live cells in whose windows there are more cells
  /// than that, but not more than `most`: there may be several; perhaps not all of them where there
  /// are very many.
  virtual void lone_shapes(int slot, int cells, int most, std::vector<LoneShape>& shapes) = 0;

  /// Has the process where the tiles lie write those that `next` gives, some at a time until there
  /// are none, as a shard (write_tiles).
  virtual Shard write_shard(const TileShard& what,
                            const std::function<std::vector<NumberedPlace>()>& next);
  /// Whether the tiles lie in several processes, none of which should hold all cells.
  virtual bool in_processes() const { return false; }
  /// Where they do, each writes a shard of its own; `what` has the number of the first. Tiles of
  /// the ascending list `without` are left out.
  virtual std::vector<Shard> write_shards(const TileShard& /*what*/,
                                          std::span<const TileId> /*without*/) {
    throw std::logic_error("these tiles lie in one process");
  }

  /// Bytes that a tile takes on the device, and that all of them may take: what was asked for, or
  /// what the device has.
  virtual std::int64_t bytes_per_tile() const = 0;
  virtual std::int64_t limit() const = 0;

 protected:
  int slots_ = 0;
};

}  // namespace tessera
