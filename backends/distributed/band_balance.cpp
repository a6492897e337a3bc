#include "backends/distributed/band_balance.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera {

namespace {

// Seconds between two times of telling: that takes all ranks some microseconds.
constexpr double kPeriod = 0.01;
constexpr double kMostExchanges = 1 << 20;
// Share of its time that the slowest rank must save. By the times of passes of 8 and 16 processors
// of a shared host, and half a millisecond to a millisecond for moved rows, a tenth is better than
// a fiftieth or a seventh.
constexpr double kLeastSaved = 0.1;

std::vector<std::int64_t> cuts_of(const std::vector<BandRows>& bands) {
  std::vector<std::int64_t> cuts;
  for (const BandRows& band : bands) cuts.push_back(band.first);
  cuts.push_back(bands.back().end());
  return cuts;
}

}  // namespace

BandBalance::BandBalance(const std::vector<BandRows>& bands, Limits limits)
    : limits_(std::move(limits)),
      shares_(static_cast<int>(bands.size())),
      first_cuts_(cuts_of(bands)),
      cuts_(first_cuts_) {}

std::optional<std::vector<BandRows>> BandBalance::told(std::span<const double> seconds) {
  const double most = std::ranges::max(seconds);
  if (most > 0) {
    const double exchanges = std::ceil(kPeriod * static_cast<double>(period_) / most);
    period_ = static_cast<std::int64_t>(std::clamp(exchanges, 1.0, kMostExchanges));
  }
  left_ = period_;
  shares_.learn(cuts_, limits_.again, seconds);
  const std::vector<std::int64_t> wanted =
      within(cuts_.back(), shares_.cut(cuts_.back(), static_cast<int>(std::ssize(cuts_)) - 1,
                                       limits_.again, limits_.least));
  if (shares_.slowest(wanted, limits_.again) >
      (1 - kLeastSaved) * shares_.slowest(cuts_, limits_.again))
    return std::nullopt;
  cuts_ = within(limits_.moved, wanted);
  std::vector<BandRows> bands;
  for (std::size_t i = 0; i + 1 < cuts_.size(); i++)
    bands.push_back({cuts_[i], cuts_[i + 1] - cuts_[i]});
  return bands;
}

// As near to the cuts as bands have room, with up to `moved` rows over each edge; the present ones
// where nothing is.
std::vector<std::int64_t> BandBalance::within(std::int64_t moved,
                                              std::vector<std::int64_t> cuts) const {
  for (std::size_t i = 1; i + 1 < cuts.size(); i++) {
    const bool moves = limits_.room[i - 1] > 0 && limits_.room[i] > 0;
    const std::int64_t above = moves ? limits_.room[i - 1] : 0, below = moves ? limits_.room[i] : 0;
    const std::int64_t low = std::max(
                           {cuts_[i] - moved, first_cuts_[i] - below, cuts[i - 1] + limits_.least}),
                       high = std::min(cuts_[i] + moved, first_cuts_[i] + above);
    if (low > high) return cuts_;
    cuts[i] = std::clamp(cuts[i], low, high);
  }
  // The edge below a band may have been held back.
  if (cuts.back() - cuts[cuts.size() - 2] < limits_.least) return cuts_;
  return cuts;
}

}  // namespace tessera
