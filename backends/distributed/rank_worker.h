#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/distributed/rank_assembly.h"
#include "backends/distributed/rank_grids.h"
#include "backends/distributed/rank_site.h"
#include "backends/distributed/rank_tiles.h"
#include "backends/distributed/shared_tiles.h"

namespace tessera {

/// A device as a rank has it, or why it has none.
struct RankDevice {
  std::string place;  ///< host and device, as far as a process can name them
  std::string name, missing;
  std::int64_t memory = 0;
  bool software = false;
  int threads = 1;
};

/// The tiles of a plane over all ranks.
struct TileOrder {
  std::string device, kernel;
  Tuning tuning;                     ///< as a person gave it, see RankWorker::speeds
  BackendSpec spec;                  ///< that asks for tiles
  std::vector<std::int64_t> memory;  ///< bytes that each rank's may take, by rank; 0: any
};

/// One rank's part in everything that is done together. Rank 0 commands: it calls the functions
/// below `serve`, which the others carry out there along with it. A failure on any rank is thrown
/// on rank 0 as an error of the same kind that names the rank, and the others go on serving.
class RankWorker {
 public:
  RankWorker(Communicator& us, RankPlace place, FindDevice find);

  Communicator& us() { return ranks_.us(); }
  const RankSite& site() const { return site_; }
  RankGrids& grids() { return grids_; }

  /// Called before this rank has tiles: rank 0 waits for others' while its own are stepped then, so
  /// that who waits needs to leave its core to who works.
  void on_tiles(std::function<void()> begin) { begin_tiles_ = std::move(begin); }

  /// Carries out what rank 0 commands until `end`.
  void serve();

  /// Ends `serve` everywhere.
  void end();
  /// The device of that name on every rank, by rank.
  std::vector<RankDevice> devices(const std::string& name);
  /// This rank's own.
  PartDevice own_device(const std::string& name) const { return site_.device(name); }
  /// Cells per second that a kernel steps on the device of that name on every rank, by rank: what
  /// measured_speed finds there, on all of them at once. `tuning` is that of RankOrder.
  std::vector<double> speeds(const std::string& device, const std::string& kernel,
                             const Tuning& tuning);
  /// Whether all ranks can step one grid in memory that they share (RankCrew).
  bool shares_memory();
  /// Makes a device of tiles on every rank, and returns what shares them here: this rank's own and
  /// a RankTiles for each of the others, which make() hands out once. They must be gone before
  /// `end`; no function here may be called while one of theirs is.
  std::vector<TileShare> open_tiles(const TileOrder& order);
  /// Tells every rank what a run can go on from after a loss.
  void note(const std::string& text);
  /// Hears what `note` tells.
  void on_note(std::function<void(const std::string&)> hear) { hear_ = std::move(hear); }

 private:
  void carry_out(RankTask task, RankMessage& message);
  std::vector<RankMessage> make_tiles(RankMessage& message);
  std::vector<RankMessage> find_devices(RankMessage& message);
  std::vector<RankMessage> measure_speed(RankMessage& message);
  bool try_memory();
  void hear_note(RankMessage& message);

  RankAssembly ranks_;
  RankSite site_;
  RankGrids grids_;
  std::function<void(const std::string&)> hear_;
  std::function<void()> begin_tiles_;
  std::optional<bool> shares_memory_;           // on rank 0: once found
  std::uint64_t next_ = 1;                      // number of the next tiles
  std::map<std::uint64_t, ServedTiles> tiles_;  // on a rank that serves them
  std::vector<int> open_;  // on rank 0: how many of those each of the others serves
};

}  // namespace tessera
