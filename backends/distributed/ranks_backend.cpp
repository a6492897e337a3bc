#include "backends/distributed/ranks_backend.h"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

BackendInfo told(RankWorker& worker, std::uint64_t grid, const RankOrder& order, BackendInfo info) {
  info.parts = static_cast<int>(order.plan.bands.size());
  info.processes = info.parts;
  info.halo = order.plan.halo;
  info.link = info.parts > 1 ? "mpi" : "";
  info.tuning = worker.band(grid).grid().backend->info().tuning;
  return info;
}

}  // namespace

RanksBackend::RanksBackend(RankWorker& worker, const RankOrder& order, const BackendInfo& info)
    : RanksBackend(worker, worker.create(order), order, info) {}

RanksBackend::RanksBackend(RankWorker& worker, std::uint64_t grid, const RankOrder& order,
                           BackendInfo info)
    : StepBackend(order.spec, told(worker, grid, order, std::move(info))),
      worker_(worker),
      grid_(grid) {}

RanksBackend::~RanksBackend() {
  try {
    worker_.destroy(grid_);
  } catch (const PartLost&) {
    // There is nobody left to free anything.
  }
}

void RanksBackend::do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) {
  std::ranges::fill(counts.pixels, std::uint64_t{0});
  worker_.view(grid_, rect, scale, counts);
}

}  // namespace tessera
