#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "backends/distributed/band_plan.h"
#include "core/stepping/row_shares.h"

namespace tessera {

/// Decides when the bands of a grid are worth cutting anew: ranks exchange halos as fast as the
/// slowest of them steps. New bands must be made and rows moved, so that it waits until other bands
/// would have saved as much as that costs (the rule of rent or buy: Karlin et al., "Competitive
/// snoopy caching", Algorithmica 3, 1988). What they would have saved is found by the times that
/// came after they were thought of, so that speeds which only waver save nothing. All ranks have
/// one each, call the same, and find the same. What it costs is found by doing it once.
class BandBalance {
 public:
  /// Of bands that follow each other, which step about `again` rows besides their own and have at
  /// least `least`.
  BandBalance(const std::vector<BandRows>& bands, std::int64_t again, std::int64_t least);

  /// Counts an exchange of halos: whether everybody is to tell before it how long it stepped since
  /// the last time.
  bool due() { return --left_ <= 0; }
  /// Those seconds, by band, and the bands that are better from now on, if that is worthwhile.
  std::optional<std::vector<BandRows>> told(std::span<const double> seconds);
  /// The bands were cut as `told` advised, in so many seconds.
  void moved(const std::vector<BandRows>& bands, double cost);

 private:
  double seconds_of_better(std::span<const double> seconds) const;

  RowShares shares_;
  std::vector<std::int64_t> cuts_;
  std::int64_t again_, least_;
  double cost_ = 0;                   // seconds; 0 before it is known
  std::vector<std::int64_t> better_;  // as far as was known when ranks told last; empty: as now
  double saved_ = 0;                  // seconds that it would have
  std::int64_t period_ = 1;           // exchanges between two times of telling
  std::int64_t left_ = 2;             // nothing was stepped before the first
};

}  // namespace tessera
