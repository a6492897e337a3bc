#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "backends/cpu/rule_programs.h"
#include "backends/cpu/strip_code.h"
#include "backends/cpu/strip_grid.h"
#include "core/stepping/kernel_info.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// Steps every rule of two states by machine code of its program (StripCode), in strips as the
/// kernel `simd` does.
///
/// It begins with a program that is found at once, and looks for a shorter one when it has done so
/// much work that the search pays.
class CompiledBackend final : public StepBackend {
 public:
  /// Gates of one word each: about a second's, beside which the search takes a half.
  static constexpr std::int64_t kPatience = std::int64_t{1} << 35;

  /// `tuning`: as SimdBackend's. Throws UnsupportedError where `missing` has a reason.
  CompiledBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning,
                  std::int64_t patience = kPatience);

  static KernelInfo kernel_info();
  /// Why there is no machine code here; nothing where there is.
  static std::optional<std::string> missing();
  /// Whether it steps such a grid.
  static bool steps(const BackendSpec& spec) {
    return spec.rule.states() == 2 && spec.plain_edges();
  }
  static std::int64_t bytes_needed(const BackendSpec& spec);

 private:
  void do_upload(const CellGrid& cells) override { grid_->edit({0, 0}, cells.plane(0)); }
  void do_fill(const Soup& soup, std::int64_t y, std::int64_t rows, std::uint64_t index) override {
    grid_->fill(soup, y, rows, index);
  }
  void do_step(std::int64_t generations) override;
  void do_synchronize() override {}
  CellGrid do_download(const Rect& rect) override { return grid_->download(rect); }
  void do_edit(const Cell& at, const CellGrid& cells) override { grid_->edit(at, cells.plane(0)); }
  void do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) override {
    grid_->view(rect, scale, counts);
  }
  Survey do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                   std::int64_t row0) override {
    return grid_->survey(rect, parts, column0, row0);
  }

  void compile();
  std::int64_t work_of_generation() const;

  RulePrograms programs_;
  std::array<std::shared_ptr<const StripCode>, 2> codes_;  // of even and odd generations
  std::optional<StripGrid> grid_;
};

}  // namespace tessera
