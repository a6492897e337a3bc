#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "backends/distributed/communicator.h"
#include "backends/distributed/rank_message.h"
#include "core/tiles/tile_device.h"
#include "core/tiles/tile_shard.h"

namespace tessera {

/// What a rank tells of a device of tiles that it serves, as TileDevice has it.
struct ServedFacts {
  std::int64_t bytes_per_tile = 0, limit = 0;
  int planes = 1, reach = 1;
  bool two_rules = false, makes_copies = false;
};
ServedFacts facts_of(const TileDevice& device);

/// The tiles of another rank, on rank 0: each call goes there as a message, is carried out on a
/// device of that rank, which serves it (serve_tiles), and is waited for. Cells stay there, but for
/// those that are asked for.
///
/// As TileDevice; errors are of the kind that the device there threw, and name the rank. A rank
/// that is lost is a DeviceError. The tiles of different ranks may be used by threads of their own
/// where `us` allows that (Communicator::exchange).
class RankTiles final : public TileDevice {
 public:
  /// `number`: of the device among those that the rank serves, from 1. `open` counts those, and so
  /// whether the rank waits for calls. `facts` are the device's at first. `us` and `open` must
  /// outlive it.
  RankTiles(Communicator& us, int rank, std::uint64_t number, int& open, const ServedFacts& facts);
  /// Closes the device there.
  ~RankTiles() override;
  RankTiles(const RankTiles&) = delete;
  RankTiles& operator=(const RankTiles&) = delete;

  int planes() const override { return facts_.planes; }
  int reach() const override { return facts_.reach; }
  bool two_rules() const override { return facts_.two_rules; }
  void set_frames(const std::vector<TileFrame>& frames) override;
  bool makes_copies() const override { return facts_.makes_copies; }
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
  Shard write_shard(const TileShard& what, const NextTiles& next) override;
  bool in_processes() const override { return true; }
  std::int64_t bytes_per_tile() const override { return facts_.bytes_per_tile; }
  std::int64_t limit() const override { return facts_.limit; }

 private:
  RankMessage ask(RankMessage& call);
  RankMessage carried_out(RankMessage call);

  Communicator& us_;
  int rank_;
  std::uint64_t number_;
  int& open_;
  ServedFacts facts_;
  TileId reserved_ = 0;  // below this all have room there already
};

/// A device of tiles that a rank serves.
struct ServedTiles {
  std::unique_ptr<TileDevice> device;
  std::vector<NumberedPlace> listed{};  ///< for the shard that it is to write next
};

/// What a rank other than 0 does while it has devices of tiles, by number: waits for one call of a
/// RankTiles, carries it out and answers. An error of the device is an answer, too; a device that
/// is closed leaves the map. False where `interrupt_tiles` came instead. Throws PartLost.
bool serve_tiles(Communicator& us, std::map<std::uint64_t, ServedTiles>& devices);

/// On rank 0: tells ranks that wait for calls that something else follows.
void interrupt_tiles(Communicator& us, std::span<const int> ranks);

}  // namespace tessera
