#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/distributed/turn.h"
#include "core/stepping/row_form.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// RowForm::name of a backend's rows; empty where it has none.
std::string form_of(StepBackend& backend);

/// Cells of one band on their way through the host's memory to another one's halo.
class HaloParcel {
 public:
  /// Of the size of `cells`, which are turned on their way. `end`: one of the two backends; `from`,
  /// `to`: form_of both. Whole rows that both hold alike travel as they lie. Takes memory when
  /// first used.
  HaloParcel(const Rect& cells, const Turn& turn, StepBackend& end, const std::string& from,
             const std::string& to);

  /// Takes the cells at `from`, of the size of this.
  void pack(StepBackend& backend, const Cell& from);
  /// Replaces cells from `to` on by copies that are turned. Nothing turned travels as it lies.
  void unpack(StepBackend& backend, const Cell& to, const Turn& turn) const;
  /// What travels to a parcel of the same size.
  std::vector<std::span<std::byte>> pieces();

 private:
  bool alike() const { return row_words_ > 0; }
  void make();

  Rect size_;
  int planes_;
  std::int64_t row_words_ = 0;       // 0 where cells travel in canonical form
  std::vector<std::uint64_t> rows_;  // as they lie
  std::optional<CellGrid> cells_;    // in canonical form
};

}  // namespace tessera
