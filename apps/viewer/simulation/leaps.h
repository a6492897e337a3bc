#pragma once

#include <algorithm>
#include <cstdint>

namespace tessera {

/// When generations pass unseen: where looking at each takes longer than stepping it, blocks of
/// them do, and only those right before a picture are looked at.
class Leaps {
 public:
  /// Generations that are looked at before a picture at least: oscillators of smaller periods are
  /// never taken for still lifes.
  static constexpr std::int64_t kLeast = 6;

  /// For blocks that should take so long.
  explicit Leaps(double block_seconds) : block_seconds_(block_seconds) {}

  /// Generations of the next block, all of them unseen; 0: looking takes no longer than stepping,
  /// and so every one should be seen. A few pass unseen now and then, to know.
  std::int64_t unseen() const {
    if (unseen_ <= 0 || blocks_ >= kBlocks) return kTried;
    return seen_ <= 2 * unseen_ ? 0 : std::min(kMost, next());
  }

  /// Generations of the next block where none need be seen, whatever looking takes.
  std::int64_t next() const {
    if (unseen_ <= 0) return kTried;
    // No more than four times the last ones.
    const double most = std::min(kFurthest, 4.0 * static_cast<double>(last_));
    return static_cast<std::int64_t>(std::clamp(block_seconds_ / unseen_, 1.0, most));
  }

  /// What stepping took, without looking.
  void leapt(std::int64_t generations, double seconds) {
    last_ = std::max(generations, kTried);
    unseen_ = std::max(seconds, 1e-9) / static_cast<double>(generations);
    blocks_ = 0;
  }
  /// What stepping and looking took, of a block or before a picture.
  void saw(std::int64_t generations, double seconds) {
    if (generations > 0) seen_ = seconds / static_cast<double>(generations);
    blocks_++;
  }

 private:
  static constexpr std::int64_t kTried = 8, kMost = 1 << 19;
  static constexpr double kFurthest = 0x1p50;
  static constexpr int kBlocks = 50;

  double block_seconds_;
  double unseen_ = 0, seen_ = 0;  // seconds per generation
  std::int64_t last_ = kTried;
  int blocks_ = 0;  // since the last leap
};

}  // namespace tessera
