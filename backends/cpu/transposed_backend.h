#pragma once

#include <cstdint>
#include <memory>

#include "core/stepping/step_backend.h"

namespace tessera {

/// Steps a grid as its mirror image along the diagonal, for grids whose columns are easier to cut
/// than their rows. Rules that count neighbours do not distinguish rows from columns. Meant for
/// small grids, because reading turns all cells back.
class TransposedBackend final : public StepBackend {
 public:
  /// `turned` steps a grid of `spec`'s height x width.
  TransposedBackend(const BackendSpec& spec, std::unique_ptr<StepBackend> turned);

  /// The spec of the mirror image.
  static BackendSpec turned(BackendSpec spec);

 private:
  void do_upload(const CellGrid& cells) override;
  void do_step(std::int64_t generations) override { turned_->step(generations); }
  void do_synchronize() override { turned_->synchronize(); }
  CellGrid do_download(const Rect& rect) override;
  void do_edit(const Cell& at, const CellGrid& cells) override;
  void do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) override;
  Survey do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                   std::int64_t row0) override;

  std::unique_ptr<StepBackend> turned_;
};

}  // namespace tessera
