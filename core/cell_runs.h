#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/geometry.h"

namespace tessera {

/// `length` >= 1 live cells from (x, y) rightwards.
struct CellRun {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t length = 0;
  bool operator==(const CellRun&) const = default;
};

/// Live cells anywhere on the plane as horizontal runs in reading order, packed to about two bytes a run: a
/// soup of a billion cells stays small, and a single run of 2^40 cells costs nothing.
class CellRuns {
 public:
  /// Adds a run at or after the end of the last one in reading order; one that touches the last run is
  /// merged with it. Throws std::invalid_argument when it is out of order or length < 1.
  void append(std::int64_t x, std::int64_t y, std::int64_t length);

  /// Sorts runs in any order, overlapping or not, into their union.
  static CellRuns from_unsorted(std::vector<CellRun> runs);

  bool empty() const { return population_ == 0; }
  std::int64_t population() const { return population_; }
  std::optional<Bounds> bounds() const;

  /// Walks the runs in reading order.
  class Reader {
   public:
    explicit Reader(const CellRuns& runs) : runs_(&runs) {}
    /// The next run, or nothing at the end.
    std::optional<CellRun> next();

   private:
    const CellRuns* runs_;
    std::size_t at_ = 0;
    bool last_done_ = false;
    CellRun run_{};
  };
  Reader reader() const { return Reader(*this); }

  bool operator==(const CellRuns& other) const;

 private:
  std::vector<std::uint8_t> packed_;  // all runs but the last: varints of (dy, gap or x, length)
  CellRun last_{};                    // kept open so that touching runs merge
  CellRun packed_last_{};             // the run that the next packed one is relative to
  std::int64_t population_ = 0;
  std::int64_t ymin_ = 0, xmin_ = 0, xmax_ = 0;
};

}  // namespace tessera
