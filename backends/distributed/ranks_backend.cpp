#include "backends/distributed/ranks_backend.h"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

BackendInfo told(RankGrids& grids, std::uint64_t grid, const RankOrder& order, BackendInfo info) {
  info.parts = static_cast<int>(order.plan.bands.size());
  info.processes = info.parts;
  info.halo = order.plan.halo;
  info.link = grids.band(grid).link();
  info.tuning = grids.band(grid).grid().backend->info().tuning;
  return info;
}

}  // namespace

RanksBackend::RanksBackend(RankGrids& grids, const RankOrder& order, const BackendInfo& info)
    : RanksBackend(grids, grids.create(order), order, info) {}

RanksBackend::RanksBackend(RankGrids& grids, std::uint64_t grid, const RankOrder& order,
                           BackendInfo info)
    : StepBackend(order.spec, told(grids, grid, order, std::move(info))),
      grids_(grids),
      grid_(grid) {}

RanksBackend::~RanksBackend() {
  try {
    grids_.destroy(grid_);
  } catch (const PartLost&) {
    // There is nobody left to free anything.
  }
}

void RanksBackend::do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) {
  std::ranges::fill(counts.pixels, std::uint64_t{0});
  grids_.view(grid_, rect, scale, counts);
}

}  // namespace tessera
