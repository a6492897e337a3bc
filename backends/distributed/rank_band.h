#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "backends/distributed/band_grid.h"
#include "backends/distributed/communicator.h"
#include "backends/distributed/distributed_plan.h"

namespace tessera {

/// What every rank must know to make its band of a grid.
struct RankOrder {
  std::string device;  ///< as --backend names it: "cuda" is the one of the rank's own number
  std::string kernel;
  Tuning tuning;
  BackendSpec spec;      ///< of the whole grid
  DistributedPlan plan;  ///< the first band is that of rank 0
};

/// One rank's band of a grid, if there are rows for it. All ranks call the same, in one order.
///
/// After its device failed it goes on exchanging, with dead cells, so that nobody waits for ever;
/// `check` tells.
class RankBand {
 public:
  /// `backend` steps the band of this rank's number in the plan: null where there is none.
  RankBand(Communicator& us, const RankOrder& order, std::unique_ptr<StepBackend> backend);

  /// Whether it has rows.
  bool any() const { return grid_.backend != nullptr; }
  BandGrid& grid() { return grid_; }
  int planes() const { return planes_; }
  /// The grid's own cells or soup were replaced.
  void changed() { halos_.fresh = 0; }
  /// Queues generations and exchanges halos; `odd` as in StepBackend::step.
  void step(std::int64_t generations, bool odd);
  /// Waits for the device.
  void synchronize();
  /// Throws what failed in `step`.
  void check() const;

 private:
  void exchange();
  template <class Work>
  void attempt(Work&& work);

  Communicator& us_;
  int planes_;
  std::int64_t width_;
  BandGrid grid_;
  HaloSchedule halos_;
  std::int64_t rows_ = 0;    // of a halo
  int up_ = -1, down_ = -1;  // ranks of the neighbours, or -1
  std::exception_ptr failure_;
};

}  // namespace tessera
