#pragma once

#include <cstdint>
#include <vector>

#include "core/rules/state_program.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// What kernels share that keep the cells of a rule of more than two states in a program's own
/// planes: canonical ones are made of them for whoever asks.
class CodedBackend : public StepBackend {
 protected:
  CodedBackend(const BackendSpec& spec, BackendInfo info, const StateProgram& program);
  /// Of planes that hold the bits of the states.
  CodedBackend(const BackendSpec& spec, BackendInfo info);

 private:
  /// The cells of a rectangle in one of the program's planes.
  virtual BitGrid cells_of(int plane, const Rect& rect) const = 0;
  virtual void set_cells(int plane, const Cell& at, const BitGrid& cells) = 0;
  /// The cells of a rectangle that have a code of 1 or more.
  virtual BitGrid live_cells(const Rect& rect) const;

  void do_upload(const CellGrid& cells) override { do_edit({0, 0}, cells); }
  void do_synchronize() override {}
  CellGrid do_download(const Rect& rect) override;
  void do_edit(const Cell& at, const CellGrid& cells) override;
  void do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) override;
  Survey do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                   std::int64_t row0) override;

  std::vector<std::uint16_t> codes_;   // by state
  std::vector<std::uint16_t> states_;  // by code
  int plane_count_;
};

}  // namespace tessera
