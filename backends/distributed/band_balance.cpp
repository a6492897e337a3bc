#include "backends/distributed/band_balance.h"

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

// Seconds between two times of telling: that takes all ranks some microseconds.
constexpr double kPeriod = 0.01;
constexpr double kMostExchanges = 1 << 20;

std::vector<std::int64_t> cuts_of(const std::vector<BandRows>& bands) {
  std::vector<std::int64_t> cuts;
  for (const BandRows& band : bands) cuts.push_back(band.first);
  cuts.push_back(bands.back().end());
  return cuts;
}

}  // namespace

BandBalance::BandBalance(const std::vector<BandRows>& bands, std::int64_t again, std::int64_t least)
    : shares_(static_cast<int>(bands.size())),
      cuts_(cuts_of(bands)),
      again_(again),
      least_(least) {}

std::optional<std::vector<BandRows>> BandBalance::told(std::span<const double> seconds) {
  const double most = std::ranges::max(seconds);
  if (most > 0) {
    const double exchanges = std::ceil(kPeriod * static_cast<double>(period_) / most);
    period_ = static_cast<std::int64_t>(std::clamp(exchanges, 1.0, kMostExchanges));
  }
  left_ = period_;
  if (!better_.empty()) saved_ = std::max(0.0, saved_ + most - seconds_of_better(seconds));
  shares_.learn(cuts_, again_, seconds);
  better_ = shares_.cut(cuts_.back(), static_cast<int>(std::ssize(cuts_)) - 1, again_, least_);
  if (cost_ == 0) saved_ += most - seconds_of_better(seconds);
  if (saved_ <= cost_ || better_ == cuts_) return std::nullopt;
  std::vector<BandRows> bands;
  for (std::size_t i = 0; i + 1 < better_.size(); i++)
    bands.push_back({better_[i], better_[i + 1] - better_[i]});
  return bands;
}

// What the slowest rank would have taken.
double BandBalance::seconds_of_better(std::span<const double> seconds) const {
  double most = 0;
  for (std::size_t i = 0; i < seconds.size(); i++) {
    const auto now = static_cast<double>(cuts_[i + 1] - cuts_[i] + again_);
    const auto then = static_cast<double>(better_[i + 1] - better_[i] + again_);
    most = std::max(most, seconds[i] * then / now);
  }
  return most;
}

void BandBalance::moved(const std::vector<BandRows>& bands, double cost) {
  cuts_ = cuts_of(bands);
  better_.clear();
  cost_ = cost;
  saved_ = 0;
}

}  // namespace tessera
