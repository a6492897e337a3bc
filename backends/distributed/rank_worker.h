#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/distributed/communicator.h"
#include "backends/distributed/distributed_driver.h"
#include "backends/distributed/rank_band.h"
#include "backends/distributed/rank_message.h"
#include "core/files/shard.h"

namespace tessera {

/// What a rank finds where it runs.
struct RankPlace {
  std::string host;
  int local = 0;    ///< its number among the ranks of its host
  int locals = 1;   ///< how many those are
  int threads = 1;  ///< of the processor that are its own
};

/// A device as a rank has it, or why it has none.
struct RankDevice {
  std::string name, missing;
  std::int64_t memory = 0;
  bool software = false;
  int threads = 1;
};

/// One rank's part in everything that is done together. Rank 0 commands: it calls the functions
/// below `serve`, which the others carry out there along with it. A failure on any rank is thrown
/// on rank 0 as an error of the same kind that names the rank, and the others go on serving.
class RankWorker {
 public:
  /// Finds the device of this rank that a name without parts means, as in "cuda" and "cuda:0";
  /// throws InputError or UnsupportedError where there is none.
  using FindDevice = std::function<PartDevice(const std::string& name, const RankPlace& place)>;

  RankWorker(Communicator& us, RankPlace place, FindDevice find);

  Communicator& us() { return us_; }
  const RankPlace& place() const { return place_; }

  /// Carries out what rank 0 commands until `end`.
  void serve();

  /// Ends `serve` everywhere.
  void end();
  /// The device of that name on every rank, by rank.
  std::vector<RankDevice> devices(const std::string& name);
  /// This rank's own.
  PartDevice own_device(const std::string& name) const { return find_(name, place_); }
  /// Makes a grid, and returns its number.
  std::uint64_t create(const RankOrder& order);
  void destroy(std::uint64_t grid);
  void fill(std::uint64_t grid, const Soup& soup, std::int64_t y, std::int64_t rows,
            std::uint64_t index);
  void edit(std::uint64_t grid, const Cell& at, const CellGrid& cells);
  void step(std::uint64_t grid, std::int64_t generations, bool odd);
  void synchronize(std::uint64_t grid);
  CellGrid download(std::uint64_t grid, const Rect& rect);
  Survey survey(std::uint64_t grid, const Rect& rect, SurveyParts parts, std::int64_t column0,
                std::int64_t row0);
  void view(std::uint64_t grid, const Rect& rect, std::int64_t scale, CellCounts& counts);
  /// StepBackend::write_shards.
  std::vector<Shard> write_shards(std::uint64_t grid, const ShardOrder& order, const Cell& at);
  /// Tells every rank what a run can go on from after a loss.
  void note(const std::string& text);
  /// Hears what `note` tells.
  void on_note(std::function<void(const std::string&)> hear) { hear_ = std::move(hear); }

  /// The band of a grid on this rank.
  RankBand& band(std::uint64_t grid) { return *grids_.at(grid).band; }

 private:
  enum class Task : std::uint8_t {
    end,
    devices,
    create,
    destroy,
    fill,
    edit,
    step,
    synchronize,
    download,
    survey,
    view,
    write_shards,
    note
  };
  struct Grid {
    std::vector<BandRows> rows;  // of every rank that has any
    std::unique_ptr<RankBand> band;
  };
  static RankMessage begin(Task task) { return RankMessage().put(task); }

  void command(RankMessage& message);
  void carry_out(Task task, RankMessage& message);
  void agree(const std::exception_ptr& error);
  template <class Work>
  void together(Work&& work);
  std::vector<RankMessage> gather(RankMessage mine);

  void make_grid(RankMessage& message);
  void drop_grid(RankMessage& message);
  void fill_part(RankMessage& message);
  void take_part(RankMessage& message, const CellGrid* cells);
  void give_part(RankMessage& message, CellGrid* cells);
  Survey survey_part(RankMessage& message);
  std::vector<RankMessage> view_parts(RankMessage& message);
  std::vector<RankMessage> write_part(RankMessage& message);
  std::vector<RankMessage> find_devices(RankMessage& message);
  void hear_note(RankMessage& message);

  Communicator& us_;
  RankPlace place_;
  FindDevice find_;
  std::function<void(const std::string&)> hear_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, Grid> grids_;
};

}  // namespace tessera
