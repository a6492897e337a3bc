#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "backends/distributed/band_plan.h"
#include "core/stepping/step_backend.h"

namespace tessera {

/// One band of a grid with its halos, on the backend that steps it. Rectangles, cells and pixels
/// are those of the whole grid; a call about rows that it does not own does nothing.
struct BandGrid {
  BandRows own;
  std::int64_t above = 0;  ///< rows of halo
  std::unique_ptr<StepBackend> backend;

  /// The part of `rect` that it owns; empty() when it owns none.
  Rect common(const Rect& rect) const {
    return rect.common({rect.x, own.first, rect.width, own.rows});
  }
  /// A row of the whole grid in the backend's own.
  std::int64_t row(std::int64_t y) const { return y - own.first + above; }
  Rect local(const Rect& rect) const { return {rect.x, row(rect.y), rect.width, rect.height}; }

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

  /// Takes the kernel's generations per pass into account.
  void use_pass(int generations) {
    if (generations > 0 && generations <= halo) pass = generations;
  }
  /// Steps `generations` by calls of step(n), with exchange() between them where it is needed.
  template <class Exchange, class Step>
  void run(std::int64_t generations, Exchange&& exchange, Step&& step) {
    for (std::int64_t left = generations; left > 0;) {
      // An early exchange costs less than a pass that is not full.
      if (fresh < left) fresh -= fresh % pass;
      if (fresh == 0) {
        exchange();
        fresh = halo;
      }
      const std::int64_t now = std::min(left, fresh);
      step(now);
      left -= now;
      fresh -= now;
    }
  }
};

}  // namespace tessera
