#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/geometry.h"

namespace tessera {

/// Cells of patterns lie within -kMaxCoordinate .. kMaxCoordinate in x and y, so that sums of a few
/// coordinates fit 64 bits.
inline constexpr std::int64_t kMaxCoordinate = std::int64_t{1} << 62;

/// `length` >= 1 live cells from (x, y) rightwards.
struct CellRun {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t length = 0;
  bool operator==(const CellRun&) const = default;
};

/// Live cells anywhere on the plane as horizontal runs in reading order, packed to one byte per run
/// in a soup and at most 31 bytes. A soup of a billion cells stays small, and a single run of 2^40
/// cells costs almost nothing.
class CellRuns {
 public:
  /// Adds a run at or after the end of the last one in reading order; one that touches the last run
  /// is merged with it. Throws std::invalid_argument when it is out of order, length < 1, or a cell
  /// lies beyond kMaxCoordinate; InputError above 2^63-1 live cells in all.
  void append(std::int64_t x, std::int64_t y, std::int64_t length);

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
    std::uint64_t varint();

    const CellRuns* runs_;
    std::size_t at_ = 0;
    bool last_done_ = false;
    CellRun run_{};
    std::int64_t row_x_ = 0;
  };
  Reader reader() const { return Reader(*this); }

  /// The same cells, moved right by dx and down by dy. Throws std::invalid_argument when a cell
  /// would lie beyond kMaxCoordinate; |dx|, |dy| <= kMaxCoordinate.
  CellRuns moved(std::int64_t dx, std::int64_t dy) const;

  bool operator==(const CellRuns& other) const {
    return packed_ == other.packed_ && last_ == other.last_;
  }

 private:
  void pack_last();
  void push_varint(std::uint64_t value);

  std::vector<std::uint8_t> packed_;  // all runs but the last; the .cpp file explains the packing
  CellRun last_{};                    // kept open so that touching runs merge; length 0: none yet
  CellRun packed_last_{};             // the run that the next packed one is relative to
  std::int64_t row_x_ = 0;            // where the first run of packed_last_'s row starts
  std::int64_t population_ = 0;
  std::int64_t ymin_ = 0, xmin_ = 0, xmax_ = 0;
};

/// The cells that are in either of them.
CellRuns unite(const CellRuns& a, const CellRuns& b);

/// Collects runs, which may overlap and come in any order, and holds little more than their packed
/// union.
class CellCollector {
 public:
  /// Throws std::invalid_argument when length < 1 or a cell lies beyond kMaxCoordinate.
  void add(std::int64_t x, std::int64_t y, std::int64_t length);
  /// The union of all runs; the collector is empty afterwards.
  CellRuns take();

 private:
  void flush();

  std::vector<CellRun> loose_;  // not sorted yet
  std::vector<CellRuns>
      levels_;  // level i holds 2^i flushes or nothing, as the digits of a counter
};

}  // namespace tessera
