#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/tiles/tile.h"

namespace tessera {

/// What a schedule has to keep to.
struct SchedulePace {
  int most = kTileMargin;  ///< generations of a step
  bool even = false;       ///< the period is even, because two rules take turns
};

/// The lengths of the steps that a ring of slots makes round and round, in generations: step k goes
/// from slot k to slot k + 1, at least two. What has a period that divides their sum costs nothing
/// to step.
class Schedule {
 public:
  /// Most of ash has a period that divides this.
  static constexpr std::int64_t kUsualPeriod = 24;
  /// Nearly all of it has one that divides this: pentadecathlons, too.
  static constexpr std::int64_t kLongPeriod = 120;

  /// The usual one: as few steps as a sum of `period` takes, even ones where that can be, and at
  /// least three. period >= 3, and even where the pace is.
  static Schedule of_period(std::int64_t period, const SchedulePace& pace = {});
  /// The longest one of so many slots, at least two, where the usual one takes too much memory.
  static Schedule of_slots(int slots, const SchedulePace& pace = {});
  /// Two slots, of which the first step has so many generations; 1 .. pace.most.
  static Schedule beginning_with(int generations, const SchedulePace& pace = {});
  /// One of which every `stride`-th generation is a slot; 1 <= stride <= kMostStride. It has at
  /// most so many slots, at least two, where a stride, or two for an even period, do not need more.
  static Schedule of_stride(std::int64_t stride, int most_slots = 4 * kUsualPeriod,
                            const SchedulePace& pace = {});
  static constexpr std::int64_t kMostStride = 64;

  int slots() const { return static_cast<int>(lengths_.size()); }
  int length(int slot) const { return lengths_[static_cast<std::size_t>(slot)]; }
  std::int64_t period() const { return period_; }
  /// Whether all steps are equally long.
  bool even() const { return std::ranges::count(lengths_, lengths_.front()) == slots(); }
  /// Whether steps of `stride` generations each, from slot 0 on, end in slots.
  bool serves(std::int64_t stride) const;
  bool operator==(const Schedule&) const = default;

 private:
  explicit Schedule(std::vector<int> lengths);

  std::vector<int> lengths_;
  std::int64_t period_ = 0;
};

}  // namespace tessera
