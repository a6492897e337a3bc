#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "backends/distributed/distributed_plan.h"
#include "backends/distributed/local_team.h"
#include "core/stepping/driver.h"

namespace tessera {

/// One grid whose rows are cut into bands, each stepped by a backend of any kind on any device, all
/// at the same time.
///
/// A band is stepped as a torus or plane of its rows and its halos, which has columns of halo, too,
/// where the left and the right edge are shifted or twisted. What lies beyond its halos is wrong;
/// wrong cells come nearer by the rule's reach per generation, and before they arrive at its own
/// rows, the halos are taken anew from the neighbours. Deep halos trade cells that are stepped
/// twice for fewer exchanges.
class DistributedBackend final : public StepBackend {
 public:
  /// `make` makes the backends of the bands, each on the thread of its part and all at the same
  /// time, so that they must share nothing that changes. Throws what they throw, and what make_link
  /// does. `info` lacks tuning, halo and link.
  static std::unique_ptr<DistributedBackend> create(const BackendSpec& spec, BackendInfo info,
                                                    const DistributedPlan& plan,
                                                    const std::vector<BackendFactory>& make);
  ~DistributedBackend() override;

 private:
  struct Band;
  struct Parts;

  DistributedBackend(const BackendSpec& spec, BackendInfo info, std::unique_ptr<Parts> parts);

  void do_upload(const CellGrid& cells) override;
  void do_fill(const Soup& soup, std::int64_t y, std::int64_t rows, std::uint64_t index) override;
  void do_step(std::int64_t generations) override;
  void do_synchronize() override;
  CellGrid do_download(const Rect& rect) override;
  void do_edit(const Cell& at, const CellGrid& cells) override;
  Survey do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                   std::int64_t row0) override;
  void do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) override;

  std::unique_ptr<Parts> parts_;
};

}  // namespace tessera
