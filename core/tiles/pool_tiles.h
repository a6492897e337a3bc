#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/tiles/tile_device.h"
#include "core/tiles/tile_pool.h"
#include "core/tiles/tile_table.h"

namespace tessera {

/// A TilePool as a TileDevice, so that the host's processor takes a part of the tiles beside
/// devices. It makes no copies: who shares tiles out makes those himself.
class PoolTiles final : public TileDevice {
 public:
  explicit PoolTiles(std::unique_ptr<TilePool> pool);
  ~PoolTiles() override;

  int planes() const override { return pool_->planes(); }
  int reach() const override { return pool_->reach(); }
  bool two_rules() const override { return pool_->two_rules(); }
  void set_frames(const std::vector<TileFrame>& frames) override { pool_->set_frames(frames); }
  bool makes_copies() const override { return false; }
  /// Throws UnsupportedError for any.
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
  std::int64_t bytes_per_tile() const override;
  std::int64_t limit() const override { return pool_->limit(); }

 private:
  TileState state(int slot, TileId tile) const {
    return slot == slots_ ? ahead_[tile] : table_.slot(slot)[tile];
  }
  void queue(TileId tile);
  void leave_out_copies();
  bool take(const DeviceStep& step, std::vector<MissingTiles>& missing, DeviceProgress& done);
  void draw(int slot, TileId tile, std::span<const TileRows> planes);
  void give_back(std::vector<TileState>& states);

  std::unique_ptr<TilePool> pool_;
  TileTable table_{0};
  std::vector<std::uint8_t> nowhere_;  // by tile, as in TilePatch::Links
  TileWork work_, next_work_;          // of the next step, and of the one after it
  std::vector<std::uint8_t> drawn_;    // by tile: whoever looked last knows no more what it is
  std::uint32_t clock_ = 0;            // steps since the ring was begun
  std::vector<std::pair<TileId, std::uint32_t>> held_;  // tiles, and the last step that visits them
  std::vector<TileState> ahead_, seen_;                 // what was looked ahead at, and remembered
  bool seen_any_ = false;                               // something was remembered of this ring
};

}  // namespace tessera
