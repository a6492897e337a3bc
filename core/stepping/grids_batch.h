#pragma once

#include <memory>
#include <vector>

#include "core/stepping/batch.h"

namespace tessera {

/// A batch on any kernel: universes are kept in canonical form by the host, and one after the other
/// steps on the same backend. It takes what the kernel takes, at the price of a copy in and out
/// for each step() of each universe and of a launch that a small universe does not fill.
class GridsBatch final : public Batch {
 public:
  /// Its BatchInfo::packing.
  static constexpr const char* kPacking = "one after the other";

  /// `backend` is of the spec's size, boundary and rule. Throws UnsupportedError where the
  /// universes take more memory than the spec's limit.
  GridsBatch(const BatchSpec& spec, std::unique_ptr<StepBackend> backend);

 private:
  void do_load(const CellsOf& cells) override;
  void do_step(std::int64_t generations, bool odd) override;
  void do_synchronize() override {}
  CellGrid do_download(std::int64_t universe) override;
  std::vector<Survey> do_survey(SurveyParts parts) override;
  std::optional<double> do_device_seconds() override { return backend_->device_seconds(); }

  std::unique_ptr<StepBackend> backend_;
  std::vector<CellGrid> cells_;
};

}  // namespace tessera
