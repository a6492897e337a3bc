#pragma once

#include <algorithm>
#include <cstdint>

namespace tessera {

/// How many generations of a block pass unseen, where looking at each takes longer than stepping
/// it: so many that looking takes about half of the time, or what a few looks take.
class Leaps {
 public:
  /// Generations that a block looks at at least: oscillators of smaller periods are never taken for
  /// still lifes.
  static constexpr std::int64_t kLeast = 6;

  /// For blocks that should take so long.
  explicit Leaps(double block_seconds) : half_(block_seconds / 2) {}

  /// Generations to step unseen at the beginning of a block: none where looking takes no longer
  /// than stepping, but for a few now and then, to know.
  std::int64_t unseen() const {
    if (unseen_ <= 0 || blocks_ >= kBlocks) return kTried;
    if (seen_ <= 2 * unseen_) return 0;
    return std::min(kMost, fit(unseen_, last_));
  }
  /// Those, and the generations to look at.
  std::int64_t block() const {
    return unseen() + (seen_ > 0 ? std::max(kLeast, fit(seen_, kMost)) : kLeast);
  }

  /// What stepping took, without looking.
  void leapt(std::int64_t generations, double seconds) {
    last_ = std::max(generations, kTried);
    unseen_ = std::max(seconds, 1e-9) / static_cast<double>(generations);
    blocks_ = 0;
  }
  /// What stepping and looking took, after that.
  void saw(std::int64_t generations, double seconds) {
    if (generations > 0) seen_ = seconds / static_cast<double>(generations);
    blocks_++;
  }

 private:
  static constexpr std::int64_t kTried = 8, kMost = 1 << 19;
  static constexpr int kBlocks = 50;

  // As many as take half a block, but no more than four times the last ones.
  std::int64_t fit(double seconds, std::int64_t last) const {
    const double most = 4.0 * static_cast<double>(last);
    return static_cast<std::int64_t>(std::min(half_ / std::max(seconds, 1e-12), most));
  }

  double half_;
  double unseen_ = 0, seen_ = 0;  // seconds per generation
  std::int64_t last_ = kTried;
  int blocks_ = 0;  // since the last leap
};

}  // namespace tessera
