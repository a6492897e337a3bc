#pragma once

#include <cstdint>

#include "backends/distributed/rank_grids.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// One grid whose rows are cut into bands, one for each rank: what rank 0 holds of it. No rank ever
/// holds the whole grid, but for what is asked for as one.
class RanksBackend final : public StepBackend {
 public:
  /// `grids`, rank 0's, must outlive it. `info` lacks tuning, parts, halo and link. Throws what
  /// making the bands throws.
  RanksBackend(RankGrids& grids, const RankOrder& order, const BackendInfo& info);
  ~RanksBackend() override;

  std::vector<Shard> write_shards(const ShardOrder& order, const Cell& at) override {
    return grids_.write_shards(grid_, order, at);
  }

 private:
  RanksBackend(RankGrids& grids, std::uint64_t grid, const RankOrder& order, BackendInfo info);

  void do_upload(const CellGrid& cells) override { do_edit({0, 0}, cells); }
  void do_fill(const Soup& soup, std::int64_t y, std::int64_t rows, std::uint64_t index) override {
    grids_.fill(grid_, soup, y, rows, index);
  }
  void do_step(std::int64_t generations) override { grids_.step(grid_, generations, begins_odd()); }
  void do_synchronize() override { grids_.synchronize(grid_); }
  CellGrid do_download(const Rect& rect) override { return grids_.download(grid_, rect); }
  void do_edit(const Cell& at, const CellGrid& cells) override { grids_.edit(grid_, at, cells); }
  Survey do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                   std::int64_t row0) override {
    return grids_.survey(grid_, rect, parts, column0, row0);
  }
  void do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) override;

  RankGrids& grids_;
  std::uint64_t grid_;
};

}  // namespace tessera
