#pragma once

#include <cstdint>
#include <optional>

namespace tessera {

/// Finds the period of a run from the hashes of some of its generations, in constant memory: each
/// is compared with that of one earlier sample, which moves on after 1, 2, 4, ... samples
/// (R. P. Brent, An improved Monte Carlo factorization algorithm, BIT 20, 1980). A pattern that
/// moves has none on the infinite plane.
class PeriodFinder {
 public:
  void clear() { *this = {}; }
  /// Tells the hash of a generation later than all before.
  void see(std::int64_t generation, std::uint64_t hash) {
    if (period_) return;
    last_ = generation;
    if (most_ == 0) {
      keep(generation, hash, 1);
    } else if (hash == hash_) {
      period_ = generation - compared_;
    } else if (++seen_ == most_) {
      keep(generation, hash, 2 * most_);
    }
  }
  /// The same for one generation after the other: begins anew unless it is the one after the last.
  void see_each(std::int64_t generation, std::uint64_t hash) {
    if (period_) return;
    if (generation != last_ + 1) clear();
    see(generation, hash);
  }
  /// Generations after which everything repeats, once that is known: the period where all
  /// generations were seen, and a multiple of it where samples lie further apart.
  const std::optional<std::int64_t>& period() const { return period_; }
  /// The sample from which on it is known to repeat, where `period` is known; others before may,
  /// too.
  std::int64_t since() const { return compared_; }

 private:
  void keep(std::int64_t generation, std::uint64_t hash, std::int64_t most) {
    compared_ = generation;
    hash_ = hash;
    most_ = most;
    seen_ = 0;
  }

  std::int64_t last_ = 0, compared_ = 0;
  std::int64_t most_ = 0, seen_ = 0;  // samples after the one that is compared
  std::uint64_t hash_ = 0;
  std::optional<std::int64_t> period_;
};

}  // namespace tessera
