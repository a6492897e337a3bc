#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/distributed/rank_assembly.h"
#include "backends/distributed/rank_band.h"
#include "backends/distributed/rank_site.h"
#include "core/files/shard.h"

namespace tessera {

/// Grids whose rows are cut into bands, one on each rank. Rank 0 calls the functions that are named
/// after what a StepBackend does; the others carry out there along with it what `carry_out` takes.
/// A failure on any rank is thrown on rank 0 as RankAssembly::agree says.
class RankGrids {
 public:
  /// Both must outlive it.
  RankGrids(RankAssembly& ranks, const RankSite& site) : ranks_(ranks), site_(site) {}

  /// See RankBand::on_lost_device.
  void on_lost_device(std::function<void(const std::string&)> end) {
    lost_device_ = std::move(end);
  }

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

  /// The band of a grid on this rank.
  RankBand& band(std::uint64_t grid) { return *grids_.at(grid); }

  /// Carries out a command of rank 0 for grids; whether it is one.
  bool carry_out(RankTask task, RankMessage& message);

 private:
  Communicator& us() const { return ranks_.us(); }

  void make_grid(RankMessage& message);
  void drop_grid(RankMessage& message);
  void fill_part(RankMessage& message);
  void take_part(RankMessage& message, const CellGrid* cells);
  void give_part(RankMessage& message, CellGrid* cells);
  Survey survey_part(RankMessage& message);
  std::vector<RankMessage> view_parts(RankMessage& message);
  std::vector<RankMessage> write_part(RankMessage& message);

  RankAssembly& ranks_;
  const RankSite& site_;
  std::function<void(const std::string&)> lost_device_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, std::unique_ptr<RankBand>> grids_;
};

}  // namespace tessera
