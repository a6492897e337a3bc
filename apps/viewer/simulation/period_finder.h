#pragma once

#include <cstdint>
#include <optional>

namespace tessera {

/// Finds the period of a run from the hashes of successive generations, in constant memory: each is
/// compared with that of one earlier generation, which moves on after 1, 2, 4, ... generations
/// (R. P. Brent, An improved Monte Carlo factorization algorithm, BIT 20, 1980). A pattern that
/// moves has none on the infinite plane.
class PeriodFinder {
 public:
  void clear() { *this = {}; }
  /// Tells the hash of a generation; begins anew unless it is the one after the last.
  void see(std::int64_t generation, std::uint64_t hash) {
    if (period_) return;
    if (!begun_ || generation != last_ + 1) {
      begun_ = true;
      compared_ = generation;
      hash_ = hash;
      most_ = 1;
    } else if (hash == hash_) {
      period_ = generation - compared_;
    } else if (generation - compared_ == most_) {
      compared_ = generation;
      hash_ = hash;
      most_ *= 2;
    }
    last_ = generation;
  }
  /// Generations after which everything repeats, once it is known.
  const std::optional<std::int64_t>& period() const { return period_; }

 private:
  bool begun_ = false;
  std::int64_t last_ = 0, compared_ = 0, most_ = 1;
  std::uint64_t hash_ = 0;
  std::optional<std::int64_t> period_;
};

}  // namespace tessera
