#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/tiles/schedule.h"
#include "core/tiles/tile_device.h"
#include "core/tiles/tile_store.h"
#include "core/tiles/tile_table.h"

namespace tessera {

/// A plane's tiles while a device steps them: what the host has changed and not told yet, and the
/// present states as far as somebody wanted to see them.
///
/// Throws as TileDevice does.
class DeviceTiles {
 public:
  /// The table and the store for states that are looked at outlive it. Links of the table's tiles
  /// are recorded from now on (TileTable::record_links).
  DeviceTiles(std::unique_ptr<TileDevice> device, TileTable& table, TileStore& store);
  ~DeviceTiles();

  /// As TileDevice::planes.
  int planes() const { return static_cast<int>(planes_); }

  /// Another ring, see TileDevice::restart.
  void restart(int kept, int slots);

  /// The next step visits the tile.
  void queue(TileId tile);
  /// And so do all of the round that begins with it.
  void hold(TileId tile);
  /// Other cells for a tile in the present slot, by planes().
  void draw(int slot, TileId tile, std::span<const TileRows> planes);
  bool takes_from(const StepBackend& grid) const { return device_->takes_from(grid); }
  /// TileDevice::take_from, in a ring that has just begun. All tiles are visited for a round.
  void take_from(StepBackend& grid, int slot, std::span<const TileId> tiles);
  /// The cells of a tile in a slot, by planes(). Many of them are had sooner where `fetch` has
  /// named them since the last step, or one for another slot.
  void cells(int slot, TileId tile, std::span<TileRows> planes);
  /// The live ones among them.
  TileRows rows(int slot, TileId tile);
  void fetch(int slot, const std::vector<TileId>& tiles);
  /// Whether the tile is known to have no cells in that slot, without asking the device; true of 0.
  bool is_empty(int slot, TileId tile) const;

  /// Tiles that the next step visits, at most.
  std::int64_t active() const { return active_ + static_cast<std::int64_t>(patch_.queued.size()); }
  bool two_rules() const { return device_->two_rules(); }
  /// Takes steps of the schedule from `slot` on, of so many generations together at most, until
  /// neighbours are missing. `odd`: of two rules the second one's turn comes first.
  DeviceProgress step(const Schedule& schedule, int slot, bool odd, std::int64_t generations,
                      std::vector<MissingTiles>& missing);
  /// Looks so many generations ahead; settle(slots()) sees the outcome.
  void look_ahead(int slot, int generations, bool odd);
  int slots() const { return device_->slots(); }

  /// The states of all tiles in a slot, by number, in the store; valid until anything changes.
  const TileState* settle(int slot);
  const TileState* states() const { return states_.data(); }
  /// As TileDevice::look; what was drawn since counts in the present slot's population alone. Asked
  /// for again in the same generation, they cost nothing, and tiles without cells need no fetch.
  const std::vector<TileFacts>& facts(int slot, bool of_all_slots);
  void lone_shapes(int slot, int cells, int most, std::vector<LoneShape>& shapes);
  /// The cells of tiles in a slot, of which nothing is kept here.
  void pass_by(int slot, std::span<const TileId> tiles, std::vector<TileRows>& rows);
  bool in_processes() const { return device_->in_processes(); }
  /// TileDevice::write_shards.
  std::vector<Shard> write_shards(const TileShard& what, std::span<const TileId> without);
  /// Tiles that are empty in all slots and not to be visited, as those around them are; looked for
  /// when the table has grown a good deal since the last time, otherwise none.
  std::vector<TileId> idle(int slot);

  std::int64_t bytes_per_tile() const { return device_->bytes_per_tile(); }
  /// Bytes that all tiles take on the device, and may take.
  std::int64_t bytes() const { return bytes_per_tile() * table_->end(); }
  std::int64_t limit() const { return device_->limit(); }

  /// Tells the device what has changed in the present slot.
  void flush(int slot);
  /// The device, for another plane; nothing else may be asked any more.
  std::unique_ptr<TileDevice> give_back() { return std::move(device_); }

 private:
  std::span<const TileRows> planes_of(const std::vector<TileRows>& rows, std::size_t tile) const {
    return std::span(rows).subspan(tile * planes_, planes_);
  }
  void put(TileId tile, std::span<const TileRows> planes);
  void forget_patch();
  std::optional<std::size_t> drawn_at(TileId tile) const;
  void moved();
  bool untouched(TileId tile) const;
  void make_copies();

  std::unique_ptr<TileDevice> device_;
  TileTable* table_;
  TileStore* store_;
  std::size_t planes_;
  TilePatch patch_;
  std::uint64_t stamp_ = 1;  // Tile::queued of those in patch_.queued
  std::vector<TileId> relinked_;
  std::vector<std::uint32_t> drawn_;  // by tile: one more than its place in patch_, or a mark
  bool fresh_ = true;                 // no step was taken since all tiles were empty
  std::vector<TileState> states_;     // as they were when last settled, and drawn
  int settled_ = -1;                  // the slot that they are of
  std::vector<TileId> owed_;          // whose present states are still to be had
  std::unordered_map<TileId, std::size_t> fetched_;  // where in fetched_rows_
  std::vector<TileRows> fetched_rows_;
  int fetched_slot_ = -1;  // of their cells
  std::vector<TileFacts> facts_;
  int facts_slot_ = -1;        // what facts_ tells of; -1: of nothing
  bool facts_of_all_ = false;  // of all slots
  std::int64_t told_ = 0;      // tiles below this number are known to the device
  std::int64_t active_ = 0;
  std::int64_t batch_ = 16;  // steps
  std::int64_t swept_ = 0;   // tiles when idle ones were looked for last
};

}  // namespace tessera
