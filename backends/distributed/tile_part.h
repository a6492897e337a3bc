#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/tiles/tile_device.h"

namespace tessera {

/// What a tile was in all slots of the ring, kept by the host because several parts have it.
struct TileMirror {
  TileId tile = 0;             ///< its number for all parts; 0: this mirror is free
  std::vector<TileRows> ring;  ///< by slot: all bit planes, one after another
  struct Ghost {
    std::size_t part = 0;
    TileId number = 0;  ///< that part's number for it
  };
  std::vector<Ghost> ghosts;  ///< in the parts that have it beside the one that steps it
  std::uint64_t changed = 0;  ///< the last step in which it became another one than in its slot
  std::uint32_t ways = 0;     ///< and the neighbours that saw that, see ways_that_see

  /// Its cells in a slot, of so many planes.
  std::span<TileRows> cells(int slot, std::size_t planes) {
    return std::span(ring).subspan(static_cast<std::size_t>(slot) * planes, planes);
  }
  std::span<const TileRows> cells(int slot, std::size_t planes) const {
    return std::span(ring).subspan(static_cast<std::size_t>(slot) * planes, planes);
  }
};

/// One part of those that share a plane's tiles (SharedTiles): a device, the numbers by which it
/// knows tiles, and what it is still to be told. It steps its own tiles; ghosts of others' tiles
/// around them stand in its memory as tiles that are never visited.
class TilePart {
 public:
  TilePart(std::unique_ptr<TileDevice> device, double speed)
      : device_(std::move(device)),
        planes_(static_cast<std::size_t>(device_->planes())),
        speed_(speed) {}

  TileDevice& device() const { return *device_; }
  double speed() const { return speed_; }  ///< compared with the other parts
  /// Makes it what the visits lately say, if they took long enough.
  void measure_speed();

  /// A number for a tile, which is told once flush() has ended; empty in all slots.
  TileId allot(TileId tile);
  /// Gives a number back; `empty`: it holds no cell in any slot.
  void release(TileId number, bool empty);
  /// The tile that has a number; 0 where none has.
  TileId tile(TileId number) const { return number < tiles_.size() ? tiles_[number] : 0; }
  /// Whether the device has been told of a number.
  bool knows(TileId number) const { return number < known_; }
  /// Numbers are below this.
  TileId end() const { return static_cast<TileId>(tiles_.size()); }
  /// Numbers that would have to be added for so many tiles more.
  TileId end_with(std::int64_t more) const;

  /// Other links for a number.
  void link(TileId number, const TilePatch::Links& links);
  /// The cells of a mirror in all slots.
  void fill(TileId number, std::uint32_t mirror) { fills_.push_back({number, mirror}); }
  /// Visits in every step of a round, whatever happens.
  void hold(TileId number) { held_.push_back(number); }
  /// In the present slot: other cells, and visits, as in TilePatch. They are to be told anew where
  /// flush() has thrown, when `forget_changes` has been called.
  void draw(TileId number, std::span<const TileRows> planes);
  void queue(TileId number) { patch_.queued.push_back(number); }
  void hold_drawn(TileId number) { patch_.held.push_back(number); }
  void forget_changes();

  /// Tells the device everything; `slot` is the present one. Throws as TileDevice does, and all is
  /// kept for another try then.
  void flush(int slot, const std::vector<TileMirror>& mirrors);
  bool changes_nothing() const;  ///< there is nothing to be told
  /// Forgets all tiles.
  void clear();

  /// Takes steps, where anything is to be visited: otherwise nothing changes.
  DeviceProgress step(std::span<const DeviceStep> steps);
  std::int64_t active() const { return active_; }  ///< tiles that the next step visits, at most
  void rest() { active_ = 0; }                     ///< another ring begins

  std::int64_t own = 0;                 ///< tiles that it steps
  double visits = 0;                    ///< tiles visited times generations, lately,
  double seconds = 0;                   ///< and what that took
  std::vector<MissingTiles> missing;    ///< by its numbers, of the last step
  std::vector<std::uint32_t> watched;   ///< mirrors of its own tiles,
  std::vector<TileId> watched_numbers;  ///< and their numbers
  struct Ghost {
    TileId number = 0;
    std::uint32_t mirror = 0;
  };
  std::vector<Ghost> ghosts;
  std::vector<TileFacts> facts;  // scratch, likewise
  std::vector<TileRows> rows;    // by whoever asks
  std::vector<LoneShape> shapes;
  bool stepped = false;  ///< in the present step

 private:
  void add_cells(int slot, const std::vector<TileMirror>& mirrors, TilePatch& patch) const;

  struct Fill {
    TileId number = 0;
    std::uint32_t mirror = 0;
  };

  std::unique_ptr<TileDevice> device_;
  std::size_t planes_;  // of a cell
  double speed_;
  std::vector<TileId> tiles_{0};  // by number
  std::vector<TileId> free_;
  TileId known_ = 1;
  std::int64_t active_ = 0;
  // To be told.
  TilePatch patch_;
  std::vector<std::uint32_t> linked_at_;  // by number: one more than its place in patch_.linked
  std::vector<Fill> fills_;
  std::vector<TileId> held_;
  std::vector<TileId> freed_, emptied_;  // numbers given back; of them those that held cells
};

}  // namespace tessera
