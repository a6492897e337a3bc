#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "backends/distributed/band_plan.h"
#include "core/stepping/row_shares.h"

namespace tessera {

/// Decides when the bands of a grid are cut anew: ranks exchange halos as fast as the slowest of
/// them steps, and rows can move with the halos (moved_pieces). All ranks have one each, call the
/// same, and find the same.
class BandBalance {
 public:
  struct Limits {
    std::int64_t again = 0;          ///< rows that a band steps besides its own, about
    std::int64_t least = 1;          ///< rows that a band keeps
    std::int64_t moved = 1;          ///< rows that move over one edge of a band at a time
    std::vector<std::int64_t> room;  ///< StepBackend::room by band; 0 where its rows cannot change
  };

  /// Of bands that follow each other.
  BandBalance(const std::vector<BandRows>& bands, Limits limits);

  /// Counts an exchange of halos: whether everybody is to tell before it how long it stepped since
  /// the last time.
  bool due() { return --left_ <= 0; }
  /// Those seconds, by band, and the bands from now on where other ones are worthwhile.
  std::optional<std::vector<BandRows>> told(std::span<const double> seconds);

 private:
  std::vector<std::int64_t> within(std::int64_t moved, std::vector<std::int64_t> cuts) const;

  Limits limits_;
  RowShares shares_;
  std::vector<std::int64_t> first_cuts_, cuts_;
  std::int64_t period_ = 1;  // exchanges between two times of telling
  std::int64_t left_ = 2;    // nothing was stepped before the first
};

}  // namespace tessera
