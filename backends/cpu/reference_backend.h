#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/rules/range_rule.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// One byte per cell, its state, and plain counting: slow, obvious, and the
/// judge of all other kernels. It shares no code with them.
class ReferenceBackend final : public StepBackend {
 public:
  ReferenceBackend(const BackendSpec& spec, BackendInfo info);
  static std::int64_t bytes_needed(const BackendSpec& spec);

 private:
  void do_upload(const CellGrid& cells) override;
  void do_step(std::int64_t generations) override;
  void do_synchronize() override {}
  CellGrid do_download(const Rect& rect) override;
  void do_edit(const Cell& at, const CellGrid& cells) override;
  void do_view(const Rect& rect, std::int64_t scale, CellCounts& counts) override;
  Survey do_survey(const Rect& rect, SurveyParts parts, std::int64_t column0,
                   std::int64_t row0) override;

  std::uint8_t& at(std::int64_t x, std::int64_t y) { return cells_[y * spec().width + x]; }
  std::uint8_t at(std::int64_t x, std::int64_t y) const { return cells_[y * spec().width + x]; }
  std::uint8_t seen(std::int64_t x, std::int64_t y) const;
  void copy_with_ring();
  // A row of the cells with what is seen around them: from column -1 to the width.
  std::uint8_t* ringed_row(std::int64_t y) {
    return ringed_.data() + (y + 1) * (spec().width + 2) + 1;
  }
  const std::uint8_t* ringed_row(std::int64_t y) const {
    return ringed_.data() + (y + 1) * (spec().width + 2) + 1;
  }
  void count_neighbours(std::int64_t y);
  int count_in_range(const RangeRule& rule, std::int64_t x, std::int64_t y) const;
  int pattern_at(std::int64_t x, std::int64_t y) const;
  int next_state(const Rule& rule, std::int64_t x, std::int64_t y) const;

  std::vector<std::uint8_t> cells_;
  std::vector<std::uint8_t> next_;
  // The cells, and around them what is seen beyond the edges.
  std::vector<std::uint8_t> ringed_;
  // The neighbours of state 1 of each cell of the row that is stepped.
  std::vector<std::uint8_t> counts_;
};

}  // namespace tessera
