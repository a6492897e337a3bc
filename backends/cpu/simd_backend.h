#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cpu/strip_grid.h"
#include "core/stepping/driver.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// The default CPU kernel for Life: vectors of strips (StripGrid), the 8-gate circuit or a rule's
/// own tail, several generations per pass over memory, bands of rows over threads.
class SimdBackend final : public StepBackend {
 public:
  /// `tuning`, which kernel_info() accepts: what is 0 is chosen by the model.
  SimdBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning);

  std::unique_ptr<TilePool> tiles() override;
  std::int64_t room() const override { return grid_.room(); }
  RowForm* row_form() override { return grid_.row_form(); }

  static KernelInfo kernel_info();
  static const char* target_name();
  /// The time that a model of the machine expects for a generation.
  static double expected_seconds(const BackendSpec& spec, const Tuning& tuning);
  static std::int64_t bytes_needed(const BackendSpec& spec);

 private:
  void do_upload(const CellGrid& cells) override { grid_.edit({0, 0}, cells.plane(0)); }
  void do_fill(const Soup& soup, std::int64_t y, std::int64_t rows, std::uint64_t index) override {
    grid_.fill(soup, y, rows, index);
  }
  void do_step(std::int64_t generations) override { grid_.step(generations, {spec().rule}); }
  void do_synchronize() override {}
  bool do_slide(std::int64_t first, std::int64_t height) override {
    return grid_.slide(first, height);
  }
  CellGrid do_download(const Rect& rect) override { return grid_.download(rect); }
  void do_edit(const Cell& at, const CellGrid& cells) override { grid_.edit(at, cells.plane(0)); }
  void do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) override {
    grid_.view(rect, scale, counts);
  }
  Survey do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                   std::int64_t row0) override {
    return grid_.survey(rect, parts, column0, row0);
  }

  StripGrid grid_;
};

}  // namespace tessera
