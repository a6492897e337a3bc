#pragma once

#include <cstdint>
#include <vector>

#include "backends/cpu/gate_runner.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// Steps every rule of more than two states as a program of three-input gates over bit planes
/// (GateRunner). The planes are the program's; canonical ones are made of them for whoever asks.
class PlanesBackend final : public StepBackend {
 public:
  /// `patience`: see GateRunner.
  PlanesBackend(const BackendSpec& spec, BackendInfo info, const Tuning& tuning,
                std::int64_t patience = GateRunner::kPatience);
  static std::int64_t bytes_needed(const BackendSpec& spec);

 private:
  void do_upload(const CellGrid& cells) override { do_edit({0, 0}, cells); }
  void do_step(std::int64_t generations) override;
  void do_synchronize() override {}
  CellGrid do_download(const Rect& rect) override;
  void do_edit(const Cell& at, const CellGrid& cells) override;
  void do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) override;
  Survey do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                   std::int64_t row0) override;

  BitGrid live_cells(const Rect& rect) const;
  void advance();

  GateRunner runner_;
  std::vector<std::uint16_t> states_;  // by the program's code
  std::vector<BitGrid> planes_;        // with a ring; only plane 0 needs it
  std::vector<BitGrid> spare_;         // one for each plane that gates make
};

}  // namespace tessera
