#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/distributed/band_balance.h"
#include "backends/distributed/band_grid.h"
#include "backends/distributed/communicator.h"
#include "backends/distributed/distributed_plan.h"
#include "backends/distributed/halo_parcel.h"
#include "backends/distributed/halo_piece.h"
#include "backends/distributed/rank_link.h"
#include "core/stepping/host_crew.h"

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
/// Where bands have room (StepBackend::room), rows move between them so that fast ranks step more
/// than slow ones (BandBalance).
///
/// After its device failed it goes on exchanging, with dead cells, so that nobody waits for ever;
/// `check` tells.
class RankBand {
 public:
  /// `backend` steps the band of this rank's number in the plan: null where there is none.
  /// `crew`: of a plan for one, with which the backend was made.
  RankBand(Communicator& us, const RankOrder& order, std::unique_ptr<StepBackend> backend,
           std::unique_ptr<HostCrew> crew = nullptr);

  /// Finds how rows are exchanged, together with the others. Throws what join_ranks does.
  void join(bool one_host);
  /// What was found: "peer", "nccl" or "mpi", or "memory" of a crew; empty where there are no
  /// halos.
  std::string link() const {
    return crew_ ? "memory" : halos_.halo < HaloSchedule::kForever ? link_.name : "";
  }
  /// Ends the exchanges, together with the others, before any of them frees its cells.
  void leave();
  /// What is called with the reason, and does not return, when the device fails while those of the
  /// others may wait for it for ever.
  void on_lost_device(std::function<void(const std::string&)> end) { end_ = std::move(end); }

  /// Moves rows between bands so that these are the bands, for which all have room, and exchanges
  /// halos. Where all ranks have bands and exchange rows through their memory.
  void recut(const std::vector<BandRows>& bands);
  /// The bands of all ranks that have any, in their order.
  const std::vector<BandRows>& bands() const { return order_.plan.bands; }
  /// Whether it has rows.
  bool any() const { return grid_.backend != nullptr; }
  BandGrid& grid() { return grid_; }
  int planes() const { return planes_; }
  /// The grid's own cells or soup were replaced.
  void changed() { halos_.forget(); }
  /// Queues generations and exchanges halos; `odd` as in StepBackend::step.
  void step(std::int64_t generations, bool odd);
  /// Waits for the device.
  void synchronize();
  /// Throws what failed in `step`.
  void check() const;

 private:
  // A piece and what travels of it.
  struct Passage {
    HaloPiece piece;
    HaloParcel parcel;
  };
  // What this rank gives and gets.
  struct Passages {
    std::vector<Passage> gives, gets;
  };

  Passages passages_of(const std::vector<HaloPiece>& pieces);
  HaloParcel parcel_of(const HaloPiece& piece);
  void exchange(bool sent);
  void exchange_by_host(Passages& passages);
  void begin_balance();
  bool balance();
  template <class Work>
  void attempt(Work&& work);

  Communicator& us_;
  RankOrder order_;
  int planes_;
  std::unique_ptr<HostCrew> crew_;  // whose memory the backend uses
  BandGrid grid_;
  HaloSchedule halos_;
  Passages passages_;  // of the halos
  RankLink link_;
  std::function<void(const std::string&)> end_;
  std::exception_ptr failure_;
  std::optional<BandBalance> balance_;
  double stepping_ = 0;  // seconds since they were told to all
};

}  // namespace tessera
