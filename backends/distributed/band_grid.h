#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "backends/distributed/distributed_plan.h"
#include "core/stepping/row_port.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// One band of a grid with its halos, on the backend that steps it. Rectangles, cells and pixels
/// are those of the whole grid; a call about rows that it does not own does nothing.
struct BandGrid {
  BandRows own;
  std::int64_t width = 0;  ///< of the whole grid
  std::int64_t above = 0;  ///< rows of the backend's grid above the own ones
  std::int64_t left = 0;   ///< columns of halo, whole words
  std::unique_ptr<StepBackend> backend;

  /// Takes its place as band `i` of a grid.
  void place(const DistributedPlan& plan, std::size_t i, const BackendSpec& spec);
  /// Makes the rows that it owns others of the same grid, by StepBackend::slide.
  bool slide(const BandRows& rows);
  /// The part of `rect` that it owns; empty() when it owns none.
  Rect common(const Rect& rect) const {
    return rect.common({rect.x, own.first, rect.width, own.rows});
  }
  /// A row, a cell and a rectangle of the whole grid in the backend's own.
  std::int64_t row(std::int64_t y) const { return y - own.first + above; }
  Cell local(const Cell& at) const { return {at.x + left, row(at.y)}; }
  Rect local(const Rect& rect) const {
    return {rect.x + left, row(rect.y), rect.width, rect.height};
  }

  /// Its part of StepBackend's calls of these names. `index` is of the soup's word at row `y`.
  void fill(const Soup& soup, std::int64_t y, std::int64_t rows, std::uint64_t index);
  void edit(const Cell& at, const CellGrid& cells);
  Survey survey(const Rect& rect, SurveyParts parts, std::int64_t column0, std::int64_t row0);
  /// Counts under rows of pixels of a view; those of several bands add up.
  struct PixelRowsOfBand {
    std::int64_t pixel_row = 0;
    CellCounts counts;
  };
  std::vector<PixelRowsOfBand> view(const Rect& rect, std::int64_t scale);
};

/// When halos are taken anew.
struct HaloSchedule {
  static constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

  std::int64_t halo = kForever;  ///< generations that new halos last
  std::int64_t fresh = 0;        ///< generations that the present ones still do
  std::int64_t pass = 1;         ///< that a kernel steps at once, where halos last so long
  std::int64_t uses_up = RowPort::kNever;  ///< RowPort::uses_up of all bands
  bool sent = false;                       ///< the last step was told that an exchange follows

  /// Takes the kernel's generations per pass into account.
  void use_pass(int generations) {
    if (generations > 0 && generations <= halo) pass = generations;
  }
  /// Cells were replaced: the halos are not those of the neighbours any more.
  void forget() {
    fresh = 0;
    sent = false;
  }
  /// Generations that the halos are used for before the next exchange, of `left` that are to come:
  /// an early exchange costs less than a pass that is not full.
  std::int64_t usable(std::int64_t left) const {
    return fresh < left ? fresh - fresh % pass : fresh;
  }
  /// Steps `generations` by calls of step(n, last), with exchange(sent) between them where it is
  /// needed. `last`: an exchange follows for certain, unless cells are replaced first; `sent`: the
  /// step before was told so, and none have been.
  template <class Exchange, class Step>
  void run(std::int64_t generations, Exchange&& exchange, Step&& step) {
    for (std::int64_t left = generations; left > 0;) {
      fresh = usable(left);
      if (fresh == 0) {
        exchange(std::exchange(sent, false));
        fresh = halo;
      }
      const std::int64_t now = std::min(left, fresh);
      left -= now;
      fresh -= now;
      if (now >= uses_up) fresh = 0;
      sent = usable(left) == 0;
      step(now, sent);
    }
  }
};

}  // namespace tessera
