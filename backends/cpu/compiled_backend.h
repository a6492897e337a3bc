#pragma once

#include <cstdint>
#include <utility>

#include "backends/cpu/compiled_stepper.h"
#include "core/stepping/kernel_info.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// Steps every rule of two states by machine code (CompiledStepper).
class CompiledBackend final : public StepBackend {
 public:
  /// `tuning`: as SimdBackend's. `patience`: see RulePrograms. Throws UnsupportedError where
  /// CompiledStepper::missing has a reason.
  CompiledBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning,
                  std::int64_t patience = CompiledStepper::kPatience)
      : StepBackend(spec, CompiledStepper::tuned(std::move(info), spec, tuning)),
        stepper_(spec, this->info().tuning, patience) {}

  std::int64_t room() const override { return stepper_.cells().room(); }
  RowForm* row_form() override { return stepper_.cells().row_form(); }
  static KernelInfo kernel_info();

 private:
  void do_upload(const CellGrid& cells) override { stepper_.cells().edit({0, 0}, cells.plane(0)); }
  void do_fill(const Soup& soup, std::int64_t y, std::int64_t rows, std::uint64_t index) override {
    stepper_.cells().fill(soup, y, rows, index);
  }
  void do_step(std::int64_t generations) override { stepper_.step(generations, begins_odd()); }
  void do_synchronize() override {}
  bool do_slide(std::int64_t first, std::int64_t height) override {
    return stepper_.cells().slide(first, height);
  }
  CellGrid do_download(const Rect& rect) override { return stepper_.cells().download(rect); }
  void do_edit(const Cell& at, const CellGrid& cells) override {
    stepper_.cells().edit(at, cells.plane(0));
  }
  void do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) override {
    stepper_.cells().view(rect, scale, counts);
  }
  Survey do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                   std::int64_t row0) override {
    return stepper_.cells().survey(rect, parts, column0, row0);
  }

  CompiledStepper stepper_;
};

}  // namespace tessera
